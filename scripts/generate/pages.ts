export const pages = async (): Promise<ReadonlyArray<readonly [string, string]>> => []
