-- Whose turn it is to add pets: a transaction that adds some locks the one row until its end, so that ids become visible in
-- their order, whichever instance gives them.
CREATE TABLE IF NOT EXISTS pet_turn (
    id BIGINT PRIMARY KEY,
    taken BIGINT NOT NULL
);
