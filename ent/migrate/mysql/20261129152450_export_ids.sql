-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `filter_ids` blob NULL;
