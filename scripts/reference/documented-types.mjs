// What the source says in comments about the properties of a type. TypeScript keeps the comment of a property through zod's
// and other mapped types, so a setting's comment is found where the setting is declared, in whichever file that is.
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Files whose exported types are asked about. */
const ENTRIES = [
  'apps/generator/src/config.ts',
  'apps/executor/src/config.ts',
  'apps/buffer/src/config.ts',
  'apps/trainer/src/config.ts',
  'apps/gateway/src/config.ts',
  'libs/kernel/src/errors.ts',
];

/** @returns a reader of the exports of {@link ENTRIES}: `commentsOf(file, name)` maps "path.of.property" to its comment */
export function documentedTypes(root) {
  const configFile = join(root, 'tsconfig.json');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(configFile, ts.sys.readFile).config,
    ts.sys,
    dirname(configFile),
  );
  const program = ts.createProgram(
    ENTRIES.map((entry) => join(root, entry)),
    options,
  );
  const checker = program.getTypeChecker();

  /** Comments by dotted path, of the properties of an exported type or constant. */
  function commentsOf(file, name) {
    const source = program.getSourceFile(join(root, file));
    const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`Cannot document ${name}: expected an export of ${file}, got none.`);
    const type =
      symbol.flags & ts.SymbolFlags.Value
        ? checker.getTypeOfSymbolAtLocation(symbol, source)
        : checker.getDeclaredTypeOfSymbol(symbol);
    const comments = new Map();
    visit(type, '', comments, source, 0);
    return comments;
  }

  function visit(type, path, comments, source, depth) {
    if (depth > 6) return;
    for (const property of checker.getPropertiesOfType(type)) {
      const place = path === '' ? property.name : `${path}.${property.name}`;
      const comment = ts.displayPartsToString(property.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ').trim();
      if (comment !== '') comments.set(place, comment);
      const inner = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(property, source));
      if (isRecord(inner)) visit(inner, place, comments, source, depth + 1);
    }
  }

  function isRecord(type) {
    return (
      (type.flags & ts.TypeFlags.Object) !== 0 &&
      !checker.isArrayType(type) &&
      checker.getSignaturesOfType(type, ts.SignatureKind.Call).length === 0
    );
  }

  return { commentsOf };
}
