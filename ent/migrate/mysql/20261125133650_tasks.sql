-- Create "tasks" table
CREATE TABLE `tasks` (`home` binary(16) NOT NULL, `id` binary(16) NOT NULL, `kind` varbinary(32) NOT NULL, `target` binary(16) NOT NULL, `payload` blob NOT NULL, `due_at` bigint NOT NULL, `attempts` bigint NOT NULL DEFAULT 0, PRIMARY KEY (`home`, `id`), INDEX `task_due_at` (`due_at`), INDEX `task_id` (`id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "task_receipts" table
CREATE TABLE `task_receipts` (`home` binary(16) NOT NULL, `id` binary(16) NOT NULL, PRIMARY KEY (`home`, `id`), INDEX `taskreceipt_id` (`id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
