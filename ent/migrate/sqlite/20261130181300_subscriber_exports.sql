-- Add column "filter_consent" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `filter_consent` text NULL;
