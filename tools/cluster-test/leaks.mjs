// What must not be in any log, and where it is nevertheless.

const LEAST = 8;

/** Halves that anyone may see, and addresses that carry no password. */
const PUBLIC_NAME = /\.crt$|public/;
const PLAIN_ADDRESS = /^[a-z]+:\/\/[^@\s]*$/;

/**
 * Every form in which a Secret's values would show: as they are, as JSON has them, in base64 and hex, and line by line
 * where there are lines. `{ what, text }` each.
 */
export function needlesOf(secrets) {
  return secrets.flatMap(({ metadata, data = {} }) =>
    Object.entries(data).flatMap(([key, encoded]) => {
      const bytes = Buffer.from(encoded, 'base64');
      const text = bytes.toString('utf8').trim();
      if (PUBLIC_NAME.test(key) || PLAIN_ADDRESS.test(text)) return [];
      const forms = [text, JSON.stringify(text).slice(1, -1), ...linesOf(text)];
      const encodings = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
      return [...new Set([...forms, ...encodings])]
        .filter((form) => form.length >= LEAST)
        .map((form) => ({ what: `${metadata.name}/${key}`, text: form }));
    }),
  );
}

function linesOf(text) {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.length < 2 ? [] : lines.filter((line) => !line.startsWith('-----'));
}

/** Where any of them is: the name of the secret and the file, never the secret itself. */
export function leaksIn(logs, needles) {
  const found = logs.flatMap(({ file, text }) =>
    needles.filter((needle) => contains(text, needle.text)).map(({ what }) => `${what} in ${file}`),
  );
  return [...new Set(found)];
}

/** Six digits may be part of any number: a login code counts where it stands alone. */
function contains(text, needle) {
  if (!/^\d+$/.test(needle)) return text.includes(needle);
  return new RegExp(`(?<![\\w.-])${needle}(?![\\w.-])`).test(text);
}
