-- Modify "variants" table
ALTER TABLE `variants` ADD COLUMN `image_id` binary(16) NULL;
-- Create "product_images" table
CREATE TABLE `product_images` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `position` bigint NOT NULL, `alt` varchar(512) NOT NULL DEFAULT '', `filename` varchar(255) NOT NULL DEFAULT '', `object_id` binary(16) NOT NULL, `content_type` varbinary(64) NOT NULL, `width` bigint NOT NULL, `height` bigint NOT NULL, `size_bytes` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `productimage_store_id_product_id_position_id` (`store_id`, `product_id`, `position`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
