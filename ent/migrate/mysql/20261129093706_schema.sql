-- Modify "staff_tokens" table
ALTER TABLE `staff_tokens` ADD COLUMN `sensitive` bool NULL;
