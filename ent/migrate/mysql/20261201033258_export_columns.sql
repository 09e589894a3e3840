-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `custom_columns` mediumblob NULL;
