// The constant-product pool's program: deposit, withdraw and swap_base_input over pools with a fungible LP token.
//
// It checks what the real program checks and leaves open what that leaves open: a withdrawal pays any token accounts
// of the right mints, and only swaps wait for the pool's opening. Fees of the creator are not supported.
#include "sandbox-program.h"

#define DEPOSIT 0xb6f2e15289c623f2ull
#define WITHDRAW 0x22a16d949c4612b7ull
#define SWAP_BASE_INPUT 0xde331ec4da5abe8full
#define POOL_DISCRIMINATOR 0x46dec3d7f5e3edf7ull
#define CONFIG_DISCRIMINATOR 0x6f2bcbcb6821f4daull

#define NOT_APPROVED 6000
#define INCORRECT_LP_MINT 6004
#define EXCEEDED_SLIPPAGE 6005
#define ZERO_TRADING_TOKENS 6006
#define INVALID_VAULT 6008
#define MATH_OVERFLOW 6011
#define INSUFFICIENT_VAULT 6012

// Anchor's own errors.
#define UNKNOWN_INSTRUCTION 101
#define INSTRUCTION_DID_NOT_DESERIALIZE 102
#define CONSTRAINT_MUT 2000
#define CONSTRAINT_RAW 2003
#define CONSTRAINT_SEEDS 2006
#define CONSTRAINT_ADDRESS 2012
#define CONSTRAINT_TOKEN_MINT 2014
#define CONSTRAINT_TOKEN_OWNER 2015
#define REQUIRE_GREATER_VIOLATED 2505
#define DISCRIMINATOR_MISMATCH 3002
#define DID_NOT_DESERIALIZE 3003
#define ACCOUNT_MISSING 3005
#define OWNED_BY_WRONG_PROGRAM 3007
#define INVALID_PROGRAM_ID 3008
#define NOT_A_SIGNER 3010
#define NOT_INITIALIZED 3012

// A pool's fields; the first five are keys at multiples of eight.
#define POOL_BYTES 637
#define POOL_CONFIG 8
#define POOL_VAULTS 72
#define POOL_LP_MINT 136
#define POOL_OBSERVATION 296
#define POOL_BUMP 328
#define POOL_STATUS 329
#define POOL_LP_SUPPLY 333
#define POOL_PROTOCOL_FEES 341
#define POOL_FUND_FEES 357
#define POOL_OPEN_TIME 373
#define POOL_CREATOR_FEES 397
#define CONFIG_BYTES 236
#define CONFIG_TRADE_RATE 12
#define CONFIG_PROTOCOL_RATE 20
#define CONFIG_FUND_RATE 28

#define DEPOSIT_IS_OFF 1
#define WITHDRAW_IS_OFF 2
#define SWAP_IS_OFF 4

#define RATE_PARTS 1000000
#define FEE_BPS 10000
#define EXTENSIONS_AT 166
#define TRANSFER_FEE_CONFIG 1
#define OLDER_FEE 72
#define NEWER_FEE 90

typedef struct { u64 slot; i64 epoch_start; u64 epoch; u64 schedule_epoch; i64 seconds; } Clock;
typedef struct { u64 bps, most; } TransferFee;

u64 sol_get_clock_sysvar(Clock *clock);

/** The accounts and numbers of an instruction. Sides of deposits are the pool's 0 and 1; of swaps, 0 goes in and 1 comes out. */
typedef struct {
  Clock clock;
  Account *owner, *authority, *pool, *lp_tokens, *lp_mint, *config;
  Account *tokens[2], *vaults[2], *programs[2], *mints[2];
  TransferFee fees[2];
  // What the pool counts as its own on its sides 0 and 1.
  u64 reserves[2];
  u64 amounts[2];
} State;

#define state ((State *)(HEAP + 4096))
#define account(index) (heap->accounts[index])
#define pool_key(at) ((const u64 *)(state->pool->data + (at)))
#define pool_u64(at) u64_at(state->pool->data + (at))

INLINE int is_key(const u64 *key, u64 a, u64 b, u64 c, u64 d) {
  return key[0] == a && key[1] == b && key[2] == c && key[3] == d;
}

INLINE int is_token_program(const u64 *key) {
  return is_key(key, 0x93a165d7e1f6dd06ull, 0xac79ebce46e1cbd9ull, 0x91375b5fed85b41cull, 0xa900ff7e85f58c3aull);
}

INLINE int is_token_2022_program(const u64 *key) {
  return is_key(key, 0xde8f75eee1f6dd06ull, 0xdacd6ce4bc5d4218ull, 0x270db9834dfc1ab6ull, 0xfc8ba1d828f9bdfeull);
}

INLINE int is_memo_program(const u64 *key) {
  return is_key(key, 0x62129995a534a05ull, 0x7c38da6071e8244dull, 0x81bb92bcddb5357cull, 0x8d44054140a81fe4ull);
}

INLINE int is_authority(const u64 *key) {
  return is_key(key, 0x21b492b2f5d900ebull, 0x64f0d6b437d0c74aull, 0x573f30d6064b950ull, 0x679a8e2f4fe8b52bull);
}

/** Sets the PDA ["vault_and_lp_mint_auth_seed"], owner of all vaults and authority of all LP mints, as the signer. */
INLINE void set_signer(void) {
  put_u64(heap->seed_bytes, 0x6e615f746c756176ull);
  put_u64(heap->seed_bytes + 8, 0x6e696d5f706c5f64ull);
  put_u64(heap->seed_bytes + 16, 0x735f687475615f74ull);
  heap->seed_bytes[24] = 'e';
  heap->seed_bytes[25] = 'e';
  heap->seed_bytes[26] = 'd';
  heap->seed_bytes[27] = state->pool->data[POOL_BUMP];
  heap->seeds[0].at = (u64)heap->seed_bytes;
  heap->seeds[0].length = 27;
  heap->seeds[1].at = (u64)heap->seed_bytes + 27;
  heap->seeds[1].length = 1;
  heap->signer.at = (u64)heap->seeds;
  heap->signer.length = 2;
}

/** Returns a * b / c, rounded up; all ones when it does not fit. The rest is below c, so 64 bits hold it. */
INLINE u64 multiply_divide_up(u64 a, u64 b, u64 c) {
  u64 floor = multiply_divide(a, b, c);
  return floor != ~0ull && a * b - floor * c != 0 ? floor + 1 : floor;
}

/** Finds a mint's transfer fee of this epoch; without one the rate is 0. */
INLINE void read_fee(const Account *mint, TransferFee *fee) {
  fee->bps = fee->most = 0;
  if (is_token_program(mint->owner)) return;
  u64 at = EXTENSIONS_AT;
  NO_UNROLL while (at + 4 <= mint->data_length) {
    u64 type = u16_at(mint->data + at), length = u16_at(mint->data + at + 2);
    if (type == 0) return;
    at += 4;
    if (type == TRANSFER_FEE_CONFIG && at + NEWER_FEE + 18 <= mint->data_length) {
      const u8 *used = mint->data + at + NEWER_FEE;
      if (state->clock.epoch < u64_at(used)) used = mint->data + at + OLDER_FEE;
      fee->most = u64_at(used + 8);
      fee->bps = u16_at(used + 16);
      return;
    }
    at += length;
  }
}

/** Returns what a transfer of `amount` costs. */
INLINE u64 fee_of(const TransferFee *fee, u64 amount) {
  if (fee->bps == 0) return 0;
  u64 raw = multiply_divide_up(amount, fee->bps, FEE_BPS);
  return raw < fee->most ? raw : fee->most;
}

/** Returns what has to be sent so that `amount` arrives; all ones when it does not fit. */
INLINE u64 with_fee(const TransferFee *fee, u64 amount) {
  if (fee->bps == 0) return amount;
  u64 most = amount + fee->most < amount ? ~0ull : amount + fee->most;
  if (fee->bps >= FEE_BPS) return most;
  u64 sent = multiply_divide_up(amount, FEE_BPS, FEE_BPS - fee->bps);
  if (sent > most) sent = most;
  return sent == ~0ull ? sent : amount + fee_of(fee, sent);
}

INLINE u64 check_owned(const Account *a) {
  if (is_key(a->owner, 0, 0, 0, 0) && a->lamports == 0) return NOT_INITIALIZED;
  return is_token_program(a->owner) || is_token_2022_program(a->owner) ? 0 : OWNED_BY_WRONG_PROGRAM;
}

INLINE u64 check_token_account(const Account *a) {
  u64 error = check_owned(a);
  if (error) return error;
  if (!is_token_account(a) || a->data[108] == 0) return DID_NOT_DESERIALIZE;
  return a->is_writable ? 0 : CONSTRAINT_MUT;
}

INLINE u64 check_mint(const Account *a) {
  u64 error = check_owned(a);
  if (error) return error;
  return a->data_length >= 82 && a->data[45] == 1 ? 0 : DID_NOT_DESERIALIZE;
}

/** Checks who signs, and that the pool is one of this program's. */
INLINE u64 check_pool(void) {
  if (!state->owner->is_signer) return NOT_A_SIGNER;
  if (!is_authority(state->authority->key)) return CONSTRAINT_SEEDS;
  if (!same_key(state->pool->owner, heap->program)) return OWNED_BY_WRONG_PROGRAM;
  if (state->pool->data_length < 8 || pool_u64(0) != POOL_DISCRIMINATOR) return DISCRIMINATOR_MISMATCH;
  if (state->pool->data_length < POOL_BYTES) return DID_NOT_DESERIALIZE;
  return state->pool->is_writable ? 0 : CONSTRAINT_MUT;
}

/** Checks that the accounts of both sides are token accounts and mints. */
INLINE u64 check_sides(void) {
  u64 error;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    if ((error = check_token_account(state->tokens[i]))) return error;
    if ((error = check_token_account(state->vaults[i]))) return error;
    if ((error = check_mint(state->mints[i]))) return error;
    read_fee(state->mints[i], &state->fees[i]);
  }
  return 0;
}

/** Checks the mints by their vaults. */
INLINE u64 check_mints(void) {
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    if (!same_key(state->mints[i]->key, mint_of(state->vaults[i]))) return CONSTRAINT_ADDRESS;
  }
  return 0;
}

/** Sets a side's reserve: what its vault holds without the fees that are not the LPs' own. */
INLINE u64 read_reserve(u64 pool_side, const Account *vault) {
  u64 at = 8 * pool_side;
  u64 held = amount_of(vault), protocol = pool_u64(POOL_PROTOCOL_FEES + at);
  u64 fund = pool_u64(POOL_FUND_FEES + at), creator = pool_u64(POOL_CREATOR_FEES + at);
  if (protocol > held || fund > held - protocol || creator > held - protocol - fund) return INSUFFICIENT_VAULT;
  state->reserves[pool_side] = held - protocol - fund - creator;
  return 0;
}

/** Reads and checks the accounts of deposits and withdrawals. */
INLINE u64 read_liquidity_accounts(u64 is_deposit) {
  if (heap->account_count < (is_deposit ? 13u : 14u)) return ACCOUNT_MISSING;
  state->owner = account(0);
  state->authority = account(1);
  state->pool = account(2);
  state->lp_tokens = account(3);
  state->lp_mint = account(12);
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    state->tokens[i] = account(4 + i);
    state->vaults[i] = account(6 + i);
    state->mints[i] = account(10 + i);
    state->programs[i] = is_token_program(state->mints[i]->owner) ? account(8) : account(9);
  }
  u64 error = check_pool();
  if (error) return error;
  if (!is_token_program(account(8)->key) || !is_token_2022_program(account(9)->key)) return INVALID_PROGRAM_ID;
  if ((error = check_token_account(state->lp_tokens))) return error;
  if ((error = check_sides())) return error;
  if (!same_key(owner_of(state->lp_tokens), state->owner->key)) return CONSTRAINT_TOKEN_OWNER;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    if (!same_key(mint_of(state->tokens[i]), mint_of(state->vaults[i]))) return CONSTRAINT_TOKEN_MINT;
    if (is_deposit && !same_key(owner_of(state->tokens[i]), state->owner->key)) return CONSTRAINT_TOKEN_OWNER;
  }
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    if (!same_key(state->vaults[i]->key, pool_key(POOL_VAULTS + 32 * i))) return CONSTRAINT_RAW;
  }
  if ((error = check_mints())) return error;
  if (!same_key(state->lp_mint->key, pool_key(POOL_LP_MINT))) return INCORRECT_LP_MINT;
  if ((error = check_mint(state->lp_mint))) return error;
  if (!state->lp_mint->is_writable) return CONSTRAINT_MUT;
  if (!is_deposit && !is_memo_program(account(13)->key)) return CONSTRAINT_ADDRESS;
  return u64_at(state->lp_mint->data + 36) > 0 ? 0 : REQUIRE_GREATER_VIOLATED;
}

/** Sets the tokens on both sides that an amount of LP tokens stands for. */
INLINE u64 set_amounts(u64 lp, u64 is_rounded_up) {
  u64 supply = pool_u64(POOL_LP_SUPPLY), error;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    if ((error = read_reserve(i, state->vaults[i]))) return error;
    u64 amount = multiply_divide(lp, state->reserves[i], supply);
    if (amount == 0) return ZERO_TRADING_TOKENS;
    if (amount == ~0ull) return MATH_OVERFLOW;
    if (is_rounded_up && lp * state->reserves[i] - amount * supply != 0) amount += 1;
    state->amounts[i] = amount;
  }
  return 0;
}

INLINE u64 deposit(u64 lp) {
  u64 error, arrived, supply = pool_u64(POOL_LP_SUPPLY);
  if (state->pool->data[POOL_STATUS] & DEPOSIT_IS_OFF) return NOT_APPROVED;
  if ((error = set_amounts(lp, 1))) return error;
  if (supply + lp < supply) return MATH_OVERFLOW;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    state->amounts[i] = with_fee(&state->fees[i], state->amounts[i]);
    if (state->amounts[i] > u64_at(heap->data + 16 + 8 * i)) return EXCEEDED_SLIPPAGE;
  }
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    error = transfer(state->programs[i], state->tokens[i], state->mints[i], state->vaults[i], state->owner, 0,
                     state->amounts[i], &arrived);
    if (error) return error;
  }
  put_u64(state->pool->data + POOL_LP_SUPPLY, supply + lp);
  return mint_to(account(8), state->lp_mint, state->lp_tokens, state->authority, 1, lp);
}

INLINE u64 withdraw(u64 lp) {
  u64 error, arrived, supply = pool_u64(POOL_LP_SUPPLY);
  if (state->pool->data[POOL_STATUS] & WITHDRAW_IS_OFF) return NOT_APPROVED;
  if ((error = set_amounts(lp, 0))) return error;
  if (lp > supply) return MATH_OVERFLOW;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    u64 held = amount_of(state->vaults[i]);
    if (state->amounts[i] > held) state->amounts[i] = held;
    u64 received = state->amounts[i] - fee_of(&state->fees[i], state->amounts[i]);
    if (received < u64_at(heap->data + 16 + 8 * i)) return EXCEEDED_SLIPPAGE;
  }
  put_u64(state->pool->data + POOL_LP_SUPPLY, supply - lp);
  if ((error = burn(account(8), state->lp_tokens, state->lp_mint, state->owner, lp))) return error;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    error = transfer(state->programs[i], state->vaults[i], state->mints[i], state->tokens[i], state->authority, 1,
                     state->amounts[i], &arrived);
    if (error) return error;
  }
  return 0;
}

INLINE u64 change_liquidity(u64 is_deposit) {
  if (heap->data_length < 32) return INSTRUCTION_DID_NOT_DESERIALIZE;
  u64 error = read_liquidity_accounts(is_deposit);
  if (error) return error;
  set_signer();
  u64 lp = u64_at(heap->data + 8);
  return is_deposit ? deposit(lp) : withdraw(lp);
}

INLINE u64 read_swap_accounts(void) {
  if (heap->account_count < 13) return ACCOUNT_MISSING;
  state->owner = account(0);
  state->authority = account(1);
  state->config = account(2);
  state->pool = account(3);
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    state->tokens[i] = account(4 + i);
    state->vaults[i] = account(6 + i);
    state->programs[i] = account(8 + i);
    state->mints[i] = account(10 + i);
  }
  u64 error = check_pool();
  if (error) return error;
  if (!same_key(state->config->owner, heap->program)) return OWNED_BY_WRONG_PROGRAM;
  if (state->config->data_length < CONFIG_BYTES || u64_at(state->config->data) != CONFIG_DISCRIMINATOR)
    return DISCRIMINATOR_MISMATCH;
  if (!same_key(state->config->key, pool_key(POOL_CONFIG))) return CONSTRAINT_ADDRESS;
  if ((error = check_sides())) return error;
  NO_UNROLL for (u64 i = 0; i < 2; i++) {
    const u64 *key = state->vaults[i]->key, *program = state->programs[i]->key;
    if (!same_key(key, pool_key(POOL_VAULTS)) && !same_key(key, pool_key(POOL_VAULTS + 32))) return CONSTRAINT_RAW;
    if (!is_token_program(program) && !is_token_2022_program(program)) return INVALID_PROGRAM_ID;
  }
  if ((error = check_mints())) return error;
  return same_key(account(12)->key, pool_key(POOL_OBSERVATION)) ? 0 : CONSTRAINT_ADDRESS;
}

INLINE u64 add_fee(u64 at, u64 fee) {
  u64 before = pool_u64(at);
  if (before + fee < before) return MATH_OVERFLOW;
  put_u64(state->pool->data + at, before + fee);
  return 0;
}

INLINE u64 swap(void) {
  if (heap->data_length < 24) return INSTRUCTION_DID_NOT_DESERIALIZE;
  u64 error = read_swap_accounts();
  if (error) return error;
  if ((state->pool->data[POOL_STATUS] & SWAP_IS_OFF) || (u64)state->clock.seconds < pool_u64(POOL_OPEN_TIME))
    return NOT_APPROVED;
  u64 amount = u64_at(heap->data + 8), least = u64_at(heap->data + 16), arrived;
  u64 from = same_key(state->vaults[0]->key, pool_key(POOL_VAULTS)) ? 0 : 1, to = 1 - from;
  if (same_key(state->vaults[0]->key, state->vaults[1]->key)) return INVALID_VAULT;
  u64 net = amount - fee_of(&state->fees[0], amount);
  if (net == 0) return REQUIRE_GREATER_VIOLATED;
  if ((error = read_reserve(from, state->vaults[0])) || (error = read_reserve(to, state->vaults[1]))) return error;
  const u8 *config = state->config->data;
  u64 fee = multiply_divide_up(net, u64_at(config + CONFIG_TRADE_RATE), RATE_PARTS);
  if (fee >= net) return ZERO_TRADING_TOKENS;
  u64 swapped = net - fee, reserve = state->reserves[from];
  if (reserve + net < reserve) return MATH_OVERFLOW;
  u64 out = multiply_divide(swapped, state->reserves[to], reserve + swapped);
  u64 received = out - fee_of(&state->fees[1], out);
  if (received == 0) return REQUIRE_GREATER_VIOLATED;
  if (received < least) return EXCEEDED_SLIPPAGE;
  u64 protocol = multiply_divide(fee, u64_at(config + CONFIG_PROTOCOL_RATE), RATE_PARTS);
  u64 fund = multiply_divide(fee, u64_at(config + CONFIG_FUND_RATE), RATE_PARTS);
  if ((error = add_fee(POOL_PROTOCOL_FEES + 8 * from, protocol))) return error;
  if ((error = add_fee(POOL_FUND_FEES + 8 * from, fund))) return error;
  set_signer();
  error = transfer(state->programs[0], state->tokens[0], state->mints[0], state->vaults[0], state->owner, 0, amount,
                   &arrived);
  if (error) return error;
  return transfer(state->programs[1], state->vaults[1], state->mints[1], state->tokens[1], state->authority, 1, out,
                  &arrived);
}

u64 entrypoint(u8 *input) {
  if (!read_input(input)) return NOT_ENOUGH_ACCOUNTS;
  if (heap->data_length < 8) return UNKNOWN_INSTRUCTION;
  u64 discriminator = u64_at(heap->data), error;
  if ((error = sol_get_clock_sysvar(&state->clock))) return error;
  if (discriminator == DEPOSIT || discriminator == WITHDRAW) return change_liquidity(discriminator == DEPOSIT);
  return discriminator == SWAP_BASE_INPUT ? swap() : UNKNOWN_INSTRUCTION;
}
