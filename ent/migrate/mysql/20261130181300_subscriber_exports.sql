-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `filter_consent` varbinary(16) NULL;
