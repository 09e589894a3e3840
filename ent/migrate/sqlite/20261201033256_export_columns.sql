-- Add column "custom_columns" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `custom_columns` blob NULL;
