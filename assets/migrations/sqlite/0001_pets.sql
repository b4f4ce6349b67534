-- The animals. id is assigned on creation; status is one of the three words of the API description.
-- created_at is for people only (Unix seconds): order and paging go by id.
CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category_id BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    created_at BIGINT NOT NULL
);
