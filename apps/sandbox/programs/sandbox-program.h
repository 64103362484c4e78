// What both programs need: reading the virtual machine's input, and calling the token programs.
//
// The compiler (clang 14, -target bpf) and the assembler set the rules: no calls between own functions, so everything is
// inlined; 512 bytes of stack, so everything larger lies on the heap; no 128-bit division; no library calls.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define INLINE static inline __attribute__((always_inline))
#define NO_UNROLL _Pragma("clang loop unroll(disable)")

#define HEAP 0x300000000ull
#define MAX_ACCOUNTS 96
#define ACCOUNT_SPARE_BYTES 10240

// The runtime's own errors are in the upper half.
#define NOT_ENOUGH_ACCOUNTS (11ull << 32)
#define INVALID_DATA (3ull << 32)

/** An account as the virtual machine lays it out. Its data follows. */
typedef struct {
  u8 duplicate_of;
  u8 is_signer;
  u8 is_writable;
  u8 executable;
  u8 pad[4];
  u64 key[4];
  u64 owner[4];
  u64 lamports;
  u64 data_length;
  u8 data[];
} Account;

typedef struct { u64 program; u64 accounts; u64 account_count; u64 data; u64 data_length; } Instruction;
typedef struct { u64 key; u8 is_writable; u8 is_signer; u8 pad[6]; } Meta;
typedef struct {
  u64 key; u64 lamports; u64 data_length; u64 data; u64 owner; u64 rent_epoch;
  u8 is_signer; u8 is_writable; u8 executable; u8 pad[5];
} Info;
typedef struct { u64 at; u64 length; } Slice;

u64 sol_invoke_signed_c(const Instruction *instruction, const Info *infos, u64 info_count, const Slice *seeds, u64 seed_count);

/** Everything on the heap, which begins zeroed. */
typedef struct {
  u64 account_count;
  Account *accounts[MAX_ACCOUNTS];
  const u8 *data;
  u64 data_length;
  const u64 *program;
  Instruction instruction;
  Meta metas[4];
  Info infos[4];
  u8 call_data[16];
  Slice seeds[3];
  Slice signer;
  u8 seed_bytes[32];
} Heap;

#define heap ((Heap *)HEAP)

INLINE u64 u64_at(const u8 *at) {
  u64 value = 0;
  NO_UNROLL for (u64 i = 0; i < 8; i++) value |= (u64)at[i] << (8 * i);
  return value;
}

INLINE u64 u16_at(const u8 *at) { return at[0] | (u64)at[1] << 8; }

INLINE void put_u64(u8 *at, u64 value) {
  NO_UNROLL for (u64 i = 0; i < 8; i++) at[i] = (u8)(value >> (8 * i));
}

INLINE int same_key(const u64 *a, const u64 *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

// Token accounts: mint, owner, amount. Account data begins at a multiple of eight.
INLINE const u64 *mint_of(const Account *account) { return (const u64 *)account->data; }
INLINE const u64 *owner_of(const Account *account) { return (const u64 *)(account->data + 32); }
INLINE u64 amount_of(const Account *account) { return *(const u64 *)(account->data + 64); }
INLINE int is_token_account(const Account *account) { return account->data_length >= 165; }

/** Finds the accounts and the instruction's data. */
INLINE int read_input(u8 *input) {
  u64 count = *(u64 *)input;
  if (count > MAX_ACCOUNTS) return 0;
  u8 *at = input + 8;
  NO_UNROLL for (u64 i = 0; i < count; i++) {
    if (*at != 0xff) {
      heap->accounts[i] = heap->accounts[*at];
      at += 8;
      continue;
    }
    Account *account = (Account *)at;
    heap->accounts[i] = account;
    at += sizeof(Account) + account->data_length + ACCOUNT_SPARE_BYTES;
    at = (u8 *)(((u64)at + 7) & ~7ull) + 8;
  }
  heap->account_count = count;
  heap->data_length = *(u64 *)at;
  heap->data = at + 8;
  heap->program = (const u64 *)(at + 8 + heap->data_length);
  return 1;
}

/** a * b / c, rounded down; all ones when it does not fit. c must be below 2^63. */
INLINE u64 multiply_divide(u64 a, u64 b, u64 c) {
  u64 a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
  u64 low = a_low * b_low, middle = a_high * b_low + (low >> 32), other = a_low * b_high + (middle & 0xffffffff);
  u64 high = a_high * b_high + (middle >> 32) + (other >> 32);
  low = (other << 32) | (low & 0xffffffff);
  if (c == 0 || high >= c) return ~0ull;
  u64 rest = high;
  NO_UNROLL for (u64 i = 0; i < 64; i++) {
    rest = (rest << 1) | (low >> 63);
    low <<= 1;
    if (rest >= c) {
      rest -= c;
      low |= 1;
    }
  }
  return low;
}

INLINE void name_account(u64 slot, Account *account, u8 is_writable, u8 is_signer) {
  heap->metas[slot].key = (u64)account->key;
  heap->metas[slot].is_writable = is_writable;
  heap->metas[slot].is_signer = is_signer;
  Info *info = &heap->infos[slot];
  info->key = (u64)account->key;
  info->lamports = (u64)&account->lamports;
  info->data_length = account->data_length;
  info->data = (u64)account->data;
  info->owner = (u64)account->owner;
  info->rent_epoch = 0;
  info->is_signer = account->is_signer;
  info->is_writable = account->is_writable;
  info->executable = account->executable;
}

INLINE u64 call(const u64 *program, u64 account_count, u64 data_length, u64 signer_count) {
  heap->instruction.program = (u64)program;
  heap->instruction.accounts = (u64)heap->metas;
  heap->instruction.account_count = account_count;
  heap->instruction.data = (u64)heap->call_data;
  heap->instruction.data_length = data_length;
  return sol_invoke_signed_c(&heap->instruction, heap->infos, account_count, &heap->signer, signer_count);
}

/** TransferChecked; plain Transfer without a mint. Sets how much arrived, which a mint's fee makes less. */
INLINE u64 transfer(Account *program, Account *from, Account *mint, Account *to, Account *authority, u64 signer_count,
                    u64 amount, u64 *arrived) {
  u64 before = amount_of(to);
  u64 slot = 0, length = 9;
  name_account(slot++, from, 1, 0);
  heap->call_data[0] = 3;
  put_u64(heap->call_data + 1, amount);
  if (mint) {
    name_account(slot++, mint, 0, 0);
    heap->call_data[0] = 12;
    heap->call_data[length++] = mint->data[44];
  }
  name_account(slot++, to, 1, 0);
  name_account(slot++, authority, 0, 1);
  u64 error = call(program->key, slot, length, signer_count);
  *arrived = amount_of(to) - before;
  return error;
}

/** MintTo: the token program makes `amount` units more in an account. */
INLINE u64 mint_to(Account *program, Account *mint, Account *to, Account *authority, u64 signer_count, u64 amount) {
  name_account(0, mint, 1, 0);
  name_account(1, to, 1, 0);
  name_account(2, authority, 0, 1);
  heap->call_data[0] = 7;
  put_u64(heap->call_data + 1, amount);
  return call(program->key, 3, 9, signer_count);
}

/** Burn: the token program destroys `amount` units of an account whose owner signed. */
INLINE u64 burn(Account *program, Account *from, Account *mint, Account *owner, u64 amount) {
  name_account(0, from, 1, 0);
  name_account(1, mint, 1, 0);
  name_account(2, owner, 0, 1);
  heap->call_data[0] = 8;
  put_u64(heap->call_data + 1, amount);
  return call(program->key, 3, 9, 0);
}
