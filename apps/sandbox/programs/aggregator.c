// The aggregator's program: route_v2 and shared_accounts_route_v2 over constant-product pools.
//
// Accounts: the instruction's fixed list, the vaults' authority, then for each step
// [token program of what comes out, pool, vault that takes the input, vault that pays the output].
// A step with input index 0 takes its share of the input; any other goes on with what the step before it paid.
#include "sandbox-program.h"

#define ROUTE_V2 0x14afc431ccfa64bbull
#define SHARED_ACCOUNTS_ROUTE_V2 0xe9d8fe7c935398d1ull

#define EMPTY_ROUTE 6000
#define SLIPPAGE_TOLERANCE_EXCEEDED 6001
#define INVALID_CALCULATION 6002
#define INVALID_SLIPPAGE 6004
#define NOT_ENOUGH_PERCENT 6005
#define NOT_ENOUGH_ACCOUNT_KEYS 6008
#define INVALID_ROUTE_PLAN 6010
#define INCORRECT_TOKEN_PROGRAM 6014
#define SAME_MINTS 6018
#define INVALID_MINT 6019
#define INVALID_PROGRAM_AUTHORITY 6020
#define INVALID_OUTPUT_TOKEN_ACCOUNT 6021
#define INVALID_AUTHORITY 6023
#define INVALID_TOKEN_ACCOUNT 6025

#define WHOLE_BPS 10000
#define STEP_BYTES 5
#define STEP_ACCOUNTS 4
#define AUTHORITY_BUMP 255
#define POOL_MAGIC 0x31306c6f6f707761ull

typedef struct {
  u64 magic;
  u64 mint_a[4];
  u64 mint_b[4];
  u64 vault_a[4];
  u64 vault_b[4];
  u64 reserve_a;
  u64 reserve_b;
  u64 fee_bps;
} Pool;

typedef struct {
  Account *user, *source, *destination, *source_mint, *destination_mint, *source_program, *destination_program;
  // Where the steps take from and pay to: the user's accounts, or the program's own.
  Account *from, *to;
  Account *authority;
  Account **steps;
  u64 step_count, in_amount, quoted_out, slippage_bps, fee_bps, is_shared;
  const u8 *plan;
  // While the steps run.
  u64 left, used_bps, carried, paid;
  const u64 *carried_mint;
} Route;

#define route ((Route *)(HEAP + 4096))
#define account(index) (heap->accounts[index])

INLINE int is_event_authority(const Account *a) {
  return a->key[0] == 0x4af6d7f527fa3fb4ull && a->key[1] == 0xde7958291f9bc074ull && a->key[2] == 0x51ddc9df36ab094bull &&
         a->key[3] == 0xe8e58cb3a71a324bull;
}

/** PDA ["authority", 0]: owner of all vaults and of the program's own token accounts. */
INLINE void set_signer(void) {
  put_u64(heap->seed_bytes, 0x7469726f68747561ull);
  heap->seed_bytes[8] = 'y';
  heap->seed_bytes[9] = 0;
  heap->seed_bytes[10] = AUTHORITY_BUMP;
  heap->seeds[0].at = (u64)heap->seed_bytes;
  heap->seeds[0].length = 9;
  heap->seeds[1].at = (u64)heap->seed_bytes + 9;
  heap->seeds[1].length = 1;
  heap->seeds[2].at = (u64)heap->seed_bytes + 10;
  heap->seeds[2].length = 1;
  heap->signer.at = (u64)heap->seeds;
  heap->signer.length = 3;
}

INLINE u64 read_accounts(void) {
  u64 fixed = route->is_shared ? 12 : 10;
  if (heap->account_count < fixed + 1) return NOT_ENOUGH_ACCOUNT_KEYS;
  u64 mints;
  if (route->is_shared) {
    route->authority = account(0);
    route->user = account(1);
    route->source = account(2);
    route->from = account(3);
    route->to = account(4);
    route->destination = account(5);
    mints = 6;
    if (!same_key(account(12)->key, account(0)->key)) return INVALID_PROGRAM_AUTHORITY;
    if (!is_token_account(route->from) || !same_key(owner_of(route->from), route->authority->key)) return INVALID_TOKEN_ACCOUNT;
    if (!is_token_account(route->to) || !same_key(owner_of(route->to), route->authority->key)) return INVALID_TOKEN_ACCOUNT;
  } else {
    route->authority = account(10);
    route->user = account(0);
    route->source = route->from = account(1);
    route->destination = route->to = account(2);
    mints = 3;
    if (!same_key(account(7)->key, heap->program)) return INVALID_OUTPUT_TOKEN_ACCOUNT;
  }
  route->source_mint = account(mints);
  route->destination_mint = account(mints + 1);
  route->source_program = account(mints + 2);
  route->destination_program = account(mints + 3);
  route->steps = heap->accounts + fixed + 1;
  route->step_count = (heap->account_count - fixed - 1) / STEP_ACCOUNTS;
  if (!is_event_authority(account(fixed - 2)) || !same_key(account(fixed - 1)->key, heap->program)) return INVALID_AUTHORITY;
  return 0;
}

INLINE u64 check_accounts(void) {
  if (!route->user->is_signer) return INVALID_AUTHORITY;
  if (same_key(route->source_mint->key, route->destination_mint->key)) return SAME_MINTS;
  if (route->source_mint->data_length < 82 || route->destination_mint->data_length < 82) return INVALID_MINT;
  if (!is_token_account(route->source) || !is_token_account(route->destination)) return INVALID_TOKEN_ACCOUNT;
  if (!same_key(owner_of(route->destination), route->user->key)) return INVALID_OUTPUT_TOKEN_ACCOUNT;
  if (!same_key(mint_of(route->destination), route->destination_mint->key)) return INVALID_MINT;
  if (!same_key(route->source->owner, route->source_program->key)) return INCORRECT_TOKEN_PROGRAM;
  if (!same_key(route->destination->owner, route->destination_program->key)) return INCORRECT_TOKEN_PROGRAM;
  return 0;
}

INLINE u64 read_data(void) {
  const u8 *data = heap->data + 8;
  if (heap->data_length < 39) return INVALID_DATA;
  if (route->is_shared && *data++ != 0) return INVALID_PROGRAM_AUTHORITY;
  route->in_amount = u64_at(data);
  route->quoted_out = u64_at(data + 8);
  route->slippage_bps = u16_at(data + 16);
  route->fee_bps = u16_at(data + 18);
  u64 count = u16_at(data + 22) | u16_at(data + 24) << 16;
  route->plan = data + 26;
  if (count == 0) return EMPTY_ROUTE;
  if (count != route->step_count) return NOT_ENOUGH_ACCOUNT_KEYS;
  if (route->plan + count * STEP_BYTES > heap->data + heap->data_length) return INVALID_DATA;
  if (route->slippage_bps > WHOLE_BPS || route->fee_bps > WHOLE_BPS) return INVALID_SLIPPAGE;
  return 0;
}

/** How much of the input a step takes; the last one takes what is left. */
INLINE u64 share(u64 bps) {
  route->used_bps += bps;
  u64 amount = route->used_bps == WHOLE_BPS ? route->left : multiply_divide(route->in_amount, bps, WHOLE_BPS);
  return amount;
}

INLINE u64 run_step(u64 index) {
  const u8 *step = route->plan + index * STEP_BYTES;
  Account **accounts = route->steps + index * STEP_ACCOUNTS;
  Account *program = accounts[0], *vault_in = accounts[2], *vault_out = accounts[3];
  Pool *pool = (Pool *)accounts[1]->data;
  if (!same_key(accounts[1]->owner, heap->program) || accounts[1]->data_length < sizeof(Pool) || pool->magic != POOL_MAGIC)
    return INVALID_ROUTE_PLAN;
  u64 is_first = step[3] == 0, error;
  // A path that was begun must be ended before another begins, and only then.
  if (is_first != (route->carried_mint == 0)) return INVALID_ROUTE_PLAN;
  const u64 *mint_in = is_first ? route->source_mint->key : route->carried_mint;
  u64 is_a = same_key(mint_in, pool->mint_a);
  if (!is_a && !same_key(mint_in, pool->mint_b)) return INVALID_ROUTE_PLAN;
  if (!same_key(vault_in->key, is_a ? pool->vault_a : pool->vault_b)) return INVALID_TOKEN_ACCOUNT;
  if (!same_key(vault_out->key, is_a ? pool->vault_b : pool->vault_a)) return INVALID_TOKEN_ACCOUNT;
  if (!same_key(vault_out->owner, program->key)) return INCORRECT_TOKEN_PROGRAM;

  if (is_first) {
    u64 amount = share(u16_at(step + 1));
    if (amount > route->left || route->used_bps > WHOLE_BPS) return NOT_ENOUGH_PERCENT;
    route->left -= amount;
    Account *authority = route->is_shared ? route->authority : route->user;
    error = transfer(route->source_program, route->from, route->source_mint, vault_in, authority, route->is_shared, amount,
                     &route->carried);
    if (error) return error;
  }
  u64 reserve_in = is_a ? pool->reserve_a : pool->reserve_b, reserve_out = is_a ? pool->reserve_b : pool->reserve_a;
  u64 net = multiply_divide(route->carried, WHOLE_BPS - pool->fee_bps, WHOLE_BPS);
  u64 out = multiply_divide(reserve_out, net, reserve_in + net);
  if (out >= reserve_out || reserve_in + route->carried < reserve_in) return INVALID_CALCULATION;
  reserve_in += route->carried;
  reserve_out -= out;
  pool->reserve_a = is_a ? reserve_in : reserve_out;
  pool->reserve_b = is_a ? reserve_out : reserve_in;

  const u64 *mint_out = is_a ? pool->mint_b : pool->mint_a;
  if (same_key(mint_out, route->destination_mint->key)) {
    u64 arrived;
    out -= multiply_divide(out, route->fee_bps, WHOLE_BPS);
    error = transfer(program, vault_out, route->destination_mint, route->to, route->authority, 1, out, &arrived);
    route->paid += arrived;
    route->carried_mint = 0;
    return error;
  }
  if (index + 1 >= route->step_count) return INVALID_ROUTE_PLAN;
  Account *next_vault = accounts[STEP_ACCOUNTS + 2];
  if (!is_token_account(next_vault)) return INVALID_TOKEN_ACCOUNT;
  error = transfer(program, vault_out, 0, next_vault, route->authority, 1, out, &route->carried);
  route->carried_mint = mint_out;
  return error;
}

u64 entrypoint(u8 *input) {
  if (!read_input(input)) return NOT_ENOUGH_ACCOUNTS;
  if (heap->data_length < 8) return INVALID_DATA;
  u64 discriminator = u64_at(heap->data), error;
  route->is_shared = discriminator == SHARED_ACCOUNTS_ROUTE_V2;
  if (discriminator != ROUTE_V2 && !route->is_shared) return INVALID_DATA;
  if ((error = read_accounts())) return error;
  if ((error = check_accounts())) return error;
  if ((error = read_data())) return error;
  set_signer();

  route->left = route->in_amount;
  if (route->is_shared) {
    error = transfer(route->source_program, route->source, route->source_mint, route->from, route->user, 0, route->in_amount,
                     &route->left);
    if (error) return error;
    route->in_amount = route->left;
  }
  NO_UNROLL for (u64 i = 0; i < route->step_count; i++) {
    if ((error = run_step(i))) return error;
  }
  if (route->left > 0 || route->used_bps != WHOLE_BPS) return NOT_ENOUGH_PERCENT;
  if (route->is_shared) {
    error = transfer(route->destination_program, route->to, route->destination_mint, route->destination, route->authority, 1,
                     route->paid, &route->paid);
    if (error) return error;
  }
  u64 least = multiply_divide(route->quoted_out, WHOLE_BPS - route->slippage_bps, WHOLE_BPS);
  return route->paid < least ? SLIPPAGE_TOLERANCE_EXCEEDED : 0;
}
