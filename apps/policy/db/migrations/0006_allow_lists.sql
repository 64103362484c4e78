-- What an agent may acquire: lists of texts as JSON, because null (everything is allowed) must differ from [] (nothing is),
-- and Prisma reads both of an array as []. The release before leaves them as they are.

-- Base58 addresses of mints that trades may bring; that of wrapped SOL stands for SOL.
alter table policies add column allowed_tokens jsonb;
-- Tickers of markets that may be bought in, or their beginnings up to a hyphen.
alter table policies add column allowed_markets jsonb;
