import type { MailFact, MailLink, MailMessage } from './mail-message.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Mail programs drop style sheets, so styles are inline. Only the button has colors: the others follow the reader's theme.
const BODY = 'margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif';
const CODE = 'display:block;font:700 32px/1.5 ui-monospace,monospace;letter-spacing:4px';
const NAME = 'padding:4px 16px 4px 0;text-align:left;vertical-align:top';
const VALUE = 'padding:4px 0;vertical-align:top;overflow-wrap:anywhere';
const BUTTON =
  'display:inline-block;padding:12px 24px;border-radius:6px;background:#1a56b0;color:#ffffff;font-weight:600;text-decoration:none';

/**
 * Returns a mail as an HTML document without images, scripts and anything remote. The words are those of its text; a button
 * stands in for the link.
 */
export function mailHtml({ subject, code, heading, facts = [], items = [], link, paragraphs }: MailMessage): string {
  const parts = [
    headingHtml(code, heading),
    ...(facts.length > 0 ? [factsHtml(facts)] : []),
    ...(items.length > 0 ? [`<ul>${items.map((item) => `<li>${bdi(item)}</li>`).join('\n')}</ul>`] : []),
    ...(link ? [linkHtml(link)] : []),
    ...paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`),
  ];
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escaped(subject)}</title>
</head>
<body style="${BODY}">
<main style="max-width:600px">
${parts.join('\n')}
</main>
</body>
</html>
`;
}

function headingHtml(code: string | undefined, heading: string): string {
  const shownCode = code === undefined ? '' : `<span style="${CODE}">${escaped(code)}</span> `;
  return `<h1 style="font-size:20px">${shownCode}${escaped(heading)}</h1>`;
}

function factsHtml(facts: readonly MailFact[]): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row" style="${NAME}">${bdi(name)}:</th> <td style="${VALUE}">${bdi(value)}</td></tr>`,
  );
  return `<table style="border-collapse:collapse">\n${rows.join('\n')}\n</table>`;
}

function linkHtml({ url, label }: MailLink): string {
  return `<p><a href="${escaped(url)}" style="${BUTTON}">${escaped(label)}</a></p>`;
}

/** Isolates text whose letters may run from right to left from what surrounds it. */
function bdi(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
