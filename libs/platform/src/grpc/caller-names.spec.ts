import { describe, expect, it } from '@jest/globals';
import type { PeerCertificate } from 'node:tls';
import { callerNames } from './caller-names.js';

let read = 0;
/** A call over a connection, or over one that is not to be seen. */
function callOf(name: string, session?: object) {
  const getAuthContext = () => {
    read += 1;
    return { sslPeerCertificate: { subjectaltname: `DNS:${name}` } as PeerCertificate };
  };
  return { getAuthContext, ...(session && { call: { stream: { session } } }) };
}

describe('the names of a caller', () => {
  it('are read once for each connection, and are of that connection alone', () => {
    const [one, other] = [{}, {}];
    read = 0;
    expect(callerNames(callOf('wallet', one))).toEqual(['wallet']);
    expect(callerNames(callOf('wallet', one))).toEqual(['wallet']);
    expect(read).toBe(1);
    expect(callerNames(callOf('gateway', other))).toEqual(['gateway']);
    expect(read).toBe(2);
  });

  it('are read at each call where the connection cannot be identified', () => {
    read = 0;
    expect(callerNames(callOf('wallet'))).toEqual(['wallet']);
    expect(callerNames(callOf('gateway'))).toEqual(['gateway']);
    expect(read).toBe(2);
  });
});
