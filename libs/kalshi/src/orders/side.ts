/** Which way a contract pays. */
export type Side = 'yes' | 'no';
