-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `line_set` mediumblob NULL, ADD COLUMN `line_set_version` bigint NULL;
