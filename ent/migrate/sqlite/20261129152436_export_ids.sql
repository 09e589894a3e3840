-- Add column "filter_ids" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `filter_ids` blob NULL;
