-- Create index "apikey_store_id_created_by" to table: "api_keys"
CREATE INDEX `apikey_store_id_created_by` ON `api_keys` (`store_id`, `created_by`);
-- Create index "grant_store_id_user_id" to table: "grants"
CREATE INDEX `grant_store_id_user_id` ON `grants` (`store_id`, `user_id`);
