export function learningPath(root: string): readonly string[];
export function askedSpecs(root: string): readonly string[];
