-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `description_format` varbinary(16) NOT NULL DEFAULT 'text', ADD COLUMN `barcode` varbinary(14) NULL, ADD COLUMN `cost_minor` bigint NULL, ADD COLUMN `maker` blob NULL, ADD COLUMN `videos` blob NULL, ADD COLUMN `size_chart_id` binary(16) NULL;
-- Modify "variants" table
ALTER TABLE `variants` ADD COLUMN `barcode` varbinary(14) NULL, ADD COLUMN `cost_minor` bigint NULL;
