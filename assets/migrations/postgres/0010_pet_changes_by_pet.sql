-- For the history of a pet.
CREATE INDEX IF NOT EXISTS pet_changes_by_pet ON pet_changes (pet_id, id);
