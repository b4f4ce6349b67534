-- A filtered page at any depth costs the same as the first one.
CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
