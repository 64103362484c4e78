// The order engine's `fill`: taker and maker exchange exact amounts, both sign. A side without token accounts is native SOL.
#include "sandbox-program.h"

#define FILL 0xa0280a5ca3b760a8ull

#define MISSING_TEMPORARY_ACCOUNT 6001
#define EXTENSION_NOT_SUPPORTED 6002
#define ORDER_EXPIRED 6003
#define CONSTRAINT_TOKEN_MINT 2014
#define CONSTRAINT_TOKEN_OWNER 2015
#define NOT_A_SIGNER 3010

typedef struct { u64 slot; i64 epoch_start; u64 epoch; u64 schedule_epoch; i64 seconds; } Clock;

u64 sol_get_clock_sysvar(Clock *clock);

#define account(index) (heap->accounts[index])
#define clock_now ((Clock *)(HEAP + 4096))

INLINE int is_absent(const Account *a) { return same_key(a->key, heap->program); }

INLINE int is_native_mint(const Account *a) {
  return a->key[0] == 0x8481abfe57889b06ull && a->key[1] == 0x35c01846637f68fbull && a->key[2] == 0x553beb1adc39c4daull &&
         a->key[3] == 0x0100000000f0a098ull;
}

INLINE u64 move_lamports(Account *from, Account *to, u64 amount) {
  name_account(0, from, 1, 1);
  name_account(1, to, 1, 0);
  heap->call_data[0] = 2;
  heap->call_data[1] = heap->call_data[2] = heap->call_data[3] = 0;
  put_u64(heap->call_data + 4, amount);
  return call(account(10)->key, 2, 12, 0);
}

INLINE u64 move_side(Account *from, Account *to, Account *from_tokens, Account *to_tokens, u64 mint, u64 amount) {
  if (is_absent(from_tokens) != is_absent(to_tokens)) return MISSING_TEMPORARY_ACCOUNT;
  if (is_absent(from_tokens)) return is_native_mint(account(mint)) ? move_lamports(from, to, amount) : CONSTRAINT_TOKEN_MINT;
  if (!is_token_account(from_tokens) || !is_token_account(to_tokens) || account(mint)->data_length < 82)
    return CONSTRAINT_TOKEN_MINT;
  if (!same_key(owner_of(from_tokens), from->key) || !same_key(owner_of(to_tokens), to->key)) return CONSTRAINT_TOKEN_OWNER;
  if (!same_key(mint_of(to_tokens), account(mint)->key)) return CONSTRAINT_TOKEN_MINT;
  u64 arrived, error = transfer(account(mint + 1), from_tokens, account(mint), to_tokens, from, 0, amount, &arrived);
  if (error) return error;
  return arrived == amount ? 0 : EXTENSION_NOT_SUPPORTED;
}

u64 entrypoint(u8 *input) {
  if (!read_input(input) || heap->account_count < 11) return NOT_ENOUGH_ACCOUNTS;
  if (heap->data_length < 32 || u64_at(heap->data) != FILL) return INVALID_DATA;
  u64 error;
  if (!account(0)->is_signer || !account(1)->is_signer) return NOT_A_SIGNER;
  if ((error = sol_get_clock_sysvar(clock_now))) return error;
  if ((i64)u64_at(heap->data + 24) < clock_now->seconds) return ORDER_EXPIRED;
  error = move_side(account(0), account(1), account(2), account(3), 6, u64_at(heap->data + 8));
  if (error) return error;
  return move_side(account(1), account(0), account(5), account(4), 8, u64_at(heap->data + 16));
}
