-- Add column "image_id" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `image_id` blob NULL;
-- Create "product_images" table
CREATE TABLE `product_images` (`store_id` blob NOT NULL, `id` blob NOT NULL, `product_id` blob NOT NULL, `position` integer NOT NULL, `alt` text NOT NULL DEFAULT (''), `filename` text NOT NULL DEFAULT (''), `object_id` blob NOT NULL, `content_type` text NOT NULL, `width` integer NOT NULL, `height` integer NOT NULL, `size_bytes` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "productimage_store_id_product_id_position_id" to table: "product_images"
CREATE INDEX `productimage_store_id_product_id_position_id` ON `product_images` (`store_id`, `product_id`, `position`, `id`);
