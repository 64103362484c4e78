import { defineConfig } from 'prisma/config';

// Only `prisma migrate` on a machine with the schema engine needs the URL; add ?schema=prediction to it.
const url = process.env['DATABASE_URL'] ?? 'postgresql://nobody@127.0.0.1:1/none?schema=prediction';

export default defineConfig({ schema: './prisma/schema.prisma', datasource: { url } });
