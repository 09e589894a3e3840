-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `country` varbinary(2) NULL;
-- Modify "order_lines" table
ALTER TABLE `order_lines` ADD COLUMN `requires_shipping` bool NOT NULL DEFAULT 1;
-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `requires_shipping` bool NOT NULL DEFAULT 1, ADD COLUMN `images_count` bigint NOT NULL DEFAULT 0;
-- Count the pictures that products have
UPDATE `products` SET `images_count` = (SELECT COUNT(*) FROM `product_images` WHERE `product_images`.`store_id` = `products`.`store_id` AND `product_images`.`product_id` = `products`.`id`) WHERE EXISTS (SELECT 1 FROM `product_images` WHERE `product_images`.`store_id` = `products`.`store_id` AND `product_images`.`product_id` = `products`.`id`);
