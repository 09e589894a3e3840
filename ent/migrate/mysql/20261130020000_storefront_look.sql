-- Modify "product_images" table
ALTER TABLE `product_images` ADD INDEX `productimage_store_id_object_id` (`store_id`, `object_id`);
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `storefront` blob NULL;
