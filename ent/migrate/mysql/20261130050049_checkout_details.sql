-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `billing_address` blob NULL, ADD COLUMN `gift` varchar(500) NULL;
