-- Add column "reminded_at" to table: "staff_tokens"
ALTER TABLE `staff_tokens` ADD COLUMN `reminded_at` integer NULL;
