-- Modify "grants" table
ALTER TABLE `grants` ADD COLUMN `answer` blob NULL, ADD COLUMN `answer_token` binary(16) NULL;
