-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_outbox" table
CREATE TABLE `new_outbox` (`bucket` integer NOT NULL, `store_id` blob NOT NULL, `id` blob NOT NULL, `generation` integer NOT NULL DEFAULT (0), `dealt_to` blob NULL, PRIMARY KEY (`bucket`, `store_id`, `id`)) WITHOUT ROWID;
-- Copy rows from old table "outbox" to new temporary table "new_outbox"
INSERT INTO `new_outbox` (`bucket`, `store_id`, `id`, `generation`, `dealt_to`) SELECT `bucket`, `store_id`, `id`, `generation`, `dealt_to` FROM `outbox`;
-- built anew with all that it has: as its primary key alone, without a tree of row ids beside
DROP TABLE `outbox`;
-- built anew with all that it has: as its primary key alone, without a tree of row ids beside
ALTER TABLE `new_outbox` RENAME TO `outbox`;
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
