-- Modify "staff_tokens" table
ALTER TABLE `staff_tokens` ADD COLUMN `reminded_at` bigint NULL;
