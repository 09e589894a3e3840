-- Modify "api_keys" table
ALTER TABLE `api_keys` ADD INDEX `apikey_store_id_created_by` (`store_id`, `created_by`);
-- Modify "grants" table
ALTER TABLE `grants` ADD INDEX `grant_store_id_user_id` (`store_id`, `user_id`);
