-- Add column "session" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `session` blob NULL;
