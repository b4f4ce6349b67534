-- Each change of a pet after its addition: the members that became different, what they were and what they became, when,
-- and the public id of the API key; nothing where that was not recorded. A row is written with its change, and never changed.
CREATE TABLE IF NOT EXISTS pet_changes (
    id INTEGER PRIMARY KEY,
    pet_id BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by TEXT,
    from_name TEXT,
    from_category_id BIGINT,
    from_status TEXT,
    to_name TEXT,
    to_category_id BIGINT,
    to_status TEXT
);
