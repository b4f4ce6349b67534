-- The public id of the API key that added a pet; nothing where that was not recorded.
ALTER TABLE pets ADD COLUMN IF NOT EXISTS added_by TEXT;
