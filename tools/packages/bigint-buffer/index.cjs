'use strict';
// What @solana/buffer-layout-utils needs of `bigint-buffer`. That package has a native module with a buffer overflow
// (GHSA-3gc7-fjrx-p6mg), warns at every start when the module was not built, and cuts off what is too wide.

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

function toBigIntBE(bytes) {
  return bytes.length === 0 ? 0n : BigInt(`0x${hexOf(bytes)}`);
}

function toBigIntLE(bytes) {
  return toBigIntBE(Buffer.from(bytes).reverse());
}

function toBufferBE(number, width) {
  if (number < 0n || number >= 1n << BigInt(width * 8)) {
    throw new RangeError(`${number} does not fit into ${width} unsigned bytes`);
  }
  return Buffer.from(number.toString(16).padStart(width * 2, '0'), 'hex');
}

function toBufferLE(number, width) {
  return toBufferBE(number, width).reverse();
}

module.exports = { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE };
