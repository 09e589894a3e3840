-- Add column "sensitive" to table: "staff_tokens"
ALTER TABLE `staff_tokens` ADD COLUMN `sensitive` bool NULL;
