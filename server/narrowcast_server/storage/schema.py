"""The tables, as a list of migrations: the file's `user_version` is the number of migrations applied.

Never edit a released migration; append one.
"""

from __future__ import annotations

_PEOPLE = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  full_name TEXT NOT NULL,
  role INTEGER NOT NULL DEFAULT 400,
  is_active INTEGER NOT NULL DEFAULT 1,
  bot_type INTEGER,
  bot_owner_id INTEGER REFERENCES users(id),
  is_system_bot INTEGER NOT NULL DEFAULT 0,
  api_key TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  timezone TEXT NOT NULL DEFAULT '',
  date_joined INTEGER NOT NULL,
  avatar_version INTEGER NOT NULL DEFAULT 1,
  avatar_url TEXT,
  can_change_user_emails INTEGER NOT NULL DEFAULT 0,
  settings TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX users_by_owner ON users(bot_owner_id) WHERE bot_owner_id IS NOT NULL;
CREATE TABLE muted_users (
  user_id INTEGER NOT NULL REFERENCES users(id), muted_id INTEGER NOT NULL REFERENCES users(id),
  timestamp INTEGER NOT NULL, PRIMARY KEY (user_id, muted_id)
) WITHOUT ROWID;
CREATE TABLE alert_words (
  user_id INTEGER NOT NULL REFERENCES users(id), word TEXT NOT NULL COLLATE NOCASE,
  position INTEGER NOT NULL, PRIMARY KEY (user_id, word)
) WITHOUT ROWID;
CREATE TABLE presence (
  user_id INTEGER PRIMARY KEY REFERENCES users(id), active_timestamp INTEGER, idle_timestamp INTEGER,
  update_id INTEGER NOT NULL
);
CREATE TABLE statuses (
  user_id INTEGER PRIMARY KEY REFERENCES users(id), status_text TEXT NOT NULL DEFAULT '',
  emoji_name TEXT NOT NULL DEFAULT '', emoji_code TEXT NOT NULL DEFAULT '', reaction_type TEXT NOT NULL DEFAULT ''
);
CREATE TABLE groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE, description TEXT NOT NULL,
  creator_id INTEGER REFERENCES users(id), date_created INTEGER, is_system INTEGER NOT NULL DEFAULT 0,
  deactivated INTEGER NOT NULL DEFAULT 0, settings TEXT NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX groups_by_name ON groups(name) WHERE deactivated = 0;
CREATE TABLE group_members (
  group_id INTEGER NOT NULL REFERENCES groups(id), user_id INTEGER NOT NULL REFERENCES users(id),
  PRIMARY KEY (group_id, user_id)
) WITHOUT ROWID;
CREATE INDEX group_members_by_user ON group_members(user_id);
CREATE TABLE group_subgroups (
  group_id INTEGER NOT NULL REFERENCES groups(id), subgroup_id INTEGER NOT NULL REFERENCES groups(id),
  PRIMARY KEY (group_id, subgroup_id)
) WITHOUT ROWID;
CREATE TABLE profile_fields (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, type INTEGER NOT NULL, hint TEXT NOT NULL DEFAULT '',
  field_data TEXT NOT NULL DEFAULT '', position INTEGER NOT NULL, required INTEGER NOT NULL DEFAULT 0,
  editable_by_user INTEGER NOT NULL DEFAULT 1, display_in_profile_summary INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE profile_values (
  user_id INTEGER NOT NULL REFERENCES users(id),
  field_id INTEGER NOT NULL REFERENCES profile_fields(id) ON DELETE CASCADE,
  value TEXT NOT NULL, rendered_value TEXT, PRIMARY KEY (user_id, field_id)
) WITHOUT ROWID;
CREATE TABLE invites (
  id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT COLLATE NOCASE, token TEXT NOT NULL UNIQUE,
  inviter_id INTEGER NOT NULL REFERENCES users(id), invited INTEGER NOT NULL, expires INTEGER,
  invite_as INTEGER NOT NULL, channel_ids TEXT NOT NULL, group_ids TEXT NOT NULL,
  include_defaults INTEGER NOT NULL, notify_referrer INTEGER NOT NULL, revoked INTEGER NOT NULL DEFAULT 0,
  accepted INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE domains (domain TEXT PRIMARY KEY, allow_subdomains INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sent_emails (
  id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
  timestamp INTEGER NOT NULL
);
"""

_CHANNELS = """
CREATE TABLE channel_folders (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  rendered_description TEXT NOT NULL DEFAULT '', position INTEGER NOT NULL, date_created INTEGER NOT NULL,
  creator_id INTEGER REFERENCES users(id), is_archived INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  description TEXT NOT NULL DEFAULT '', rendered_description TEXT NOT NULL DEFAULT '',
  date_created INTEGER NOT NULL, creator_id INTEGER REFERENCES users(id),
  invite_only INTEGER NOT NULL DEFAULT 0, history_public INTEGER NOT NULL DEFAULT 1,
  is_web_public INTEGER NOT NULL DEFAULT 0, is_archived INTEGER NOT NULL DEFAULT 0,
  is_default INTEGER NOT NULL DEFAULT 0, message_retention_days INTEGER,
  topics_policy TEXT NOT NULL DEFAULT 'inherit', folder_id INTEGER REFERENCES channel_folders(id),
  first_message_id INTEGER, settings TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE subscriptions (
  user_id INTEGER NOT NULL REFERENCES users(id), channel_id INTEGER NOT NULL REFERENCES channels(id),
  active INTEGER NOT NULL DEFAULT 1, color TEXT NOT NULL, is_muted INTEGER NOT NULL DEFAULT 0,
  pin_to_top INTEGER NOT NULL DEFAULT 0, desktop_notifications INTEGER, audible_notifications INTEGER,
  push_notifications INTEGER, email_notifications INTEGER, wildcard_mentions_notify INTEGER,
  PRIMARY KEY (user_id, channel_id)
) WITHOUT ROWID;
CREATE INDEX subscriptions_by_channel ON subscriptions(channel_id, active, user_id);
CREATE TABLE user_topics (
  user_id INTEGER NOT NULL REFERENCES users(id), channel_id INTEGER NOT NULL REFERENCES channels(id),
  topic TEXT NOT NULL COLLATE NOCASE, policy INTEGER NOT NULL, last_updated INTEGER NOT NULL,
  PRIMARY KEY (user_id, channel_id, topic)
) WITHOUT ROWID;
CREATE INDEX user_topics_by_topic ON user_topics(channel_id, topic);
"""

_MESSAGES = """
CREATE TABLE conversations (id INTEGER PRIMARY KEY AUTOINCREMENT, members TEXT NOT NULL UNIQUE);
CREATE TABLE conversation_members (
  conversation_id INTEGER NOT NULL REFERENCES conversations(id), user_id INTEGER NOT NULL REFERENCES users(id),
  PRIMARY KEY (user_id, conversation_id)
) WITHOUT ROWID;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, sender_id INTEGER NOT NULL REFERENCES users(id),
  channel_id INTEGER REFERENCES channels(id), topic TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  conversation_id INTEGER REFERENCES conversations(id),
  content TEXT NOT NULL, rendered TEXT NOT NULL, timestamp INTEGER NOT NULL, client TEXT NOT NULL,
  is_me INTEGER NOT NULL DEFAULT 0, last_edited INTEGER, last_moved INTEGER, history TEXT NOT NULL DEFAULT '[]',
  has_link INTEGER NOT NULL DEFAULT 0, has_image INTEGER NOT NULL DEFAULT 0,
  has_attachment INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX messages_by_topic ON messages(channel_id, topic, id) WHERE channel_id IS NOT NULL;
CREATE INDEX messages_by_channel ON messages(channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX messages_by_conversation ON messages(conversation_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX messages_by_sender ON messages(sender_id, id);
CREATE VIRTUAL TABLE message_words USING fts5(
  content, topic, tokenize="unicode61 remove_diacritics 2"
);
CREATE TABLE user_messages (
  user_id INTEGER NOT NULL REFERENCES users(id),
  message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  flags INTEGER NOT NULL, PRIMARY KEY (user_id, message_id)
) WITHOUT ROWID;
CREATE INDEX user_messages_by_message ON user_messages(message_id);
CREATE INDEX unread_messages ON user_messages(user_id, message_id) WHERE flags & 1 = 0;
CREATE INDEX starred_messages ON user_messages(user_id, message_id) WHERE flags & 2 != 0;
CREATE INDEX mentioning_messages ON user_messages(user_id, message_id) WHERE flags & 248 != 0;
CREATE TABLE reactions (
  message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users(id), emoji_name TEXT NOT NULL, emoji_code TEXT NOT NULL,
  reaction_type TEXT NOT NULL, UNIQUE (message_id, user_id, emoji_code, reaction_type)
);
CREATE TABLE submessages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  sender_id INTEGER NOT NULL REFERENCES users(id), msg_type TEXT NOT NULL, content TEXT NOT NULL
);
CREATE INDEX submessages_by_message ON submessages(message_id);
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY AUTOINCREMENT, path_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES users(id), size INTEGER NOT NULL, content_type TEXT NOT NULL,
  created INTEGER NOT NULL, width INTEGER, height INTEGER
);
CREATE TABLE message_attachments (
  message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  attachment_id INTEGER NOT NULL REFERENCES attachments(id) ON DELETE CASCADE,
  PRIMARY KEY (attachment_id, message_id)
) WITHOUT ROWID;
CREATE INDEX message_attachments_by_message ON message_attachments(message_id);
"""

_PERSONAL = """
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id), type TEXT NOT NULL,
  recipients TEXT NOT NULL, topic TEXT NOT NULL, content TEXT NOT NULL, timestamp INTEGER NOT NULL
);
CREATE INDEX drafts_by_user ON drafts(user_id, timestamp);
CREATE TABLE scheduled_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id), type TEXT NOT NULL,
  recipients TEXT NOT NULL, topic TEXT NOT NULL DEFAULT '', content TEXT NOT NULL, rendered TEXT NOT NULL,
  delivery INTEGER NOT NULL, failed INTEGER NOT NULL DEFAULT 0, failure TEXT,
  read_by_sender INTEGER NOT NULL DEFAULT 1, client TEXT NOT NULL DEFAULT ''
);
CREATE INDEX scheduled_by_delivery ON scheduled_messages(failed, delivery);
CREATE TABLE reminders (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id),
  message_id INTEGER NOT NULL, content TEXT NOT NULL, rendered TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
  delivery INTEGER NOT NULL, failed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE saved_snippets (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id), title TEXT NOT NULL,
  content TEXT NOT NULL, date_created INTEGER NOT NULL
);
CREATE TABLE linkifiers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, pattern TEXT NOT NULL, url_template TEXT NOT NULL,
  position INTEGER NOT NULL
);
CREATE TABLE playgrounds (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, language TEXT NOT NULL, url_template TEXT NOT NULL
);
CREATE TABLE custom_emoji (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, author_id INTEGER REFERENCES users(id),
  source_url TEXT NOT NULL, still_url TEXT, deactivated INTEGER NOT NULL DEFAULT 0
);
"""

_BOTS = """
CREATE TABLE bot_storage (
  user_id INTEGER NOT NULL REFERENCES users(id), name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (user_id, name)
) WITHOUT ROWID;
"""

_NAVIGATION = """
CREATE TABLE navigation_views (
  user_id INTEGER NOT NULL REFERENCES users(id), fragment TEXT NOT NULL, is_pinned INTEGER NOT NULL, name TEXT,
  PRIMARY KEY (user_id, fragment)
) WITHOUT ROWID;
CREATE TABLE onboarding_steps (
  user_id INTEGER NOT NULL REFERENCES users(id), step TEXT NOT NULL, PRIMARY KEY (user_id, step)
) WITHOUT ROWID;
CREATE INDEX messages_by_age ON messages(timestamp);
"""

_BOTS_BELOW_OWNERS = """
UPDATE users SET role = (SELECT owner.role FROM users owner WHERE owner.id = users.bot_owner_id)
 WHERE role < (SELECT owner.role FROM users owner WHERE owner.id = users.bot_owner_id);
"""
"""A bot may do no more than its owner."""

_BOT_SERVICES = """
CREATE TABLE bot_services (
  bot_id INTEGER PRIMARY KEY REFERENCES users(id), base_url TEXT NOT NULL, interface INTEGER NOT NULL,
  token TEXT NOT NULL
);
"""
"""The endpoints of outgoing webhooks; the token is sealed like API keys."""

_ACTS = """
CREATE TABLE acts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL, user_id INTEGER REFERENCES users(id),
  act TEXT NOT NULL, details TEXT NOT NULL
);
"""
"""The audit log; a null user means the operator, on the command line."""

_EXTRA_KEYS = """
CREATE TABLE extra_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id), digest TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL, scope TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER, last_used INTEGER
);
CREATE INDEX extra_keys_by_user ON extra_keys(user_id);
"""

_MAIL = """
ALTER TABLE sent_emails ADD COLUMN sender_id INTEGER REFERENCES users(id);
ALTER TABLE sent_emails ADD COLUMN due INTEGER;
ALTER TABLE sent_emails ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sent_emails ADD COLUMN sent INTEGER;
ALTER TABLE sent_emails ADD COLUMN error TEXT;
CREATE INDEX emails_by_due ON sent_emails(due) WHERE due IS NOT NULL;
CREATE INDEX emails_by_sender ON sent_emails(sender_id, timestamp) WHERE sender_id IS NOT NULL;
CREATE TABLE mail_marks (user_id INTEGER PRIMARY KEY REFERENCES users(id), message_id INTEGER NOT NULL);
CREATE TABLE sign_in_links (
  digest TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users(id), created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sign_in_links_by_user ON sign_in_links(user_id);
"""
"""Emails are pending while `due` is set. Password reset links are stored hashed."""

_SECOND_FACTORS = """
CREATE TABLE second_factors (
  user_id INTEGER PRIMARY KEY REFERENCES users(id), secret TEXT NOT NULL, confirmed INTEGER NOT NULL DEFAULT 0,
  last_step INTEGER NOT NULL DEFAULT 0, recovery TEXT NOT NULL DEFAULT '[]'
);
ALTER TABLE invites ADD COLUMN uses_left INTEGER;
"""
"""Secrets are sealed like API keys; recovery codes are hashed. An invitation with null `uses_left` has no limit."""

_EXPORTS = """
CREATE TABLE exports (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id), kind TEXT NOT NULL,
  requested INTEGER NOT NULL, place TEXT UNIQUE, failed INTEGER, deleted INTEGER
);
"""
"""Requested exports; `place` is where a finished one is, `failed` and `deleted` are times."""

_WELCOME = """
ALTER TABLE invites ADD COLUMN welcome TEXT;
"""
"""The welcome text for invited users: null for the organization's own, empty for none."""

_CREATING_USERS = """
ALTER TABLE users ADD COLUMN can_create_users INTEGER NOT NULL DEFAULT 0;
UPDATE users SET can_create_users = can_change_user_emails;
"""
"""A permission that the operator grants; users who may change the email addresses of others have it initially."""

_ACTS_BY_ACTOR = """
UPDATE acts SET details = '{}' WHERE length(details) > 20000;
CREATE INDEX acts_by_user ON acts(user_id, id);
CREATE INDEX acts_by_time ON acts(timestamp);
"""
"""Earlier versions logged parameters of any length."""

_AWAY = """
ALTER TABLE statuses ADD COLUMN away INTEGER NOT NULL DEFAULT 0;
"""
"""A part of the status below level 148."""

MIGRATIONS: tuple[str, ...] = (
    _PEOPLE + _CHANNELS + _MESSAGES + _PERSONAL + _BOTS,
    _NAVIGATION,
    _BOTS_BELOW_OWNERS,
    _BOT_SERVICES,
    _ACTS,
    _EXTRA_KEYS,
    _MAIL,
    _SECOND_FACTORS,
    _EXPORTS,
    _WELCOME,
    _CREATING_USERS,
    _ACTS_BY_ACTOR,
    _AWAY,
)
