import { DESCRIPTOR_FILES, type DescriptorFile } from '@agent-wallet/contracts';

const filesByName = new Map(DESCRIPTOR_FILES.map((file) => [file.name, file]));
let filesBySymbol: ReadonlyMap<string, DescriptorFile> | undefined;

/**
 * Returns the file that declares a message, an enum, a service or a method, by its full name; undefined for an unknown
 * name.
 */
export function fileOfSymbol(symbol: string): DescriptorFile | undefined {
  // Made at the first request: most processes never get one.
  filesBySymbol ??= new Map(DESCRIPTOR_FILES.flatMap((file) => file.symbols.map((name) => [name, file] as const)));
  return filesBySymbol.get(symbol);
}

/** Returns the file of a name, as imports write it. */
export function fileOfName(name: string): DescriptorFile | undefined {
  return filesByName.get(name);
}

/**
 * Returns the serialized descriptors of a file and of all its imports. The file comes first, and each file precedes its
 * imports, so a caller can compile them from the last to the first.
 */
export function withImports(file: DescriptorFile): Buffer[] {
  const seen = new Set<DescriptorFile>();
  const importedFirst: DescriptorFile[] = [];
  const visit = (each: DescriptorFile): void => {
    if (seen.has(each)) return;
    seen.add(each);
    each.imports.flatMap((name) => filesByName.get(name) ?? []).forEach(visit);
    importedFirst.push(each);
  };
  visit(file);
  return importedFirst.toReversed().map(({ descriptor }) => Buffer.from(descriptor, 'base64'));
}
