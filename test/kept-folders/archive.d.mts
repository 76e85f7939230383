export function unpackFolder(archive: string, folder: string): Promise<void>;
