-- Add column "billing_address" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `billing_address` blob NULL;
-- Add column "gift" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `gift` text NULL;
