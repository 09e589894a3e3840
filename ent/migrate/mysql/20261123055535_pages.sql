-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `language` varbinary(16) NOT NULL DEFAULT 'en';
-- Create "menus" table
CREATE TABLE `menus` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `updated_at` bigint NOT NULL, `content` mediumblob NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "pages" table
CREATE TABLE `pages` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `updated_at` bigint NOT NULL, `title` varchar(255) NOT NULL, `handle` varbinary(120) NOT NULL, `status` varbinary(16) NOT NULL, `kind` varbinary(16) NULL, `body` mediumtext NOT NULL, `seo_description` varchar(320) NULL, `published_at` bigint NULL, PRIMARY KEY (`store_id`, `id`), UNIQUE INDEX `page_store_id_handle` (`store_id`, `handle`), UNIQUE INDEX `page_store_id_kind` (`store_id`, `kind`), INDEX `page_store_id_status_id` (`store_id`, `status`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
