/** Environment variables: the process's own, or those a launcher made up for a service it runs in this process. */
export type Environment = Readonly<Record<string, string | undefined>>;
