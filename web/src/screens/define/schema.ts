import schema from "../../../../src/closedchain/describe/mechanism.schema.json";

/** As much of JSON Schema as the file's own has. */
interface Node {
  $ref?: string;
  description?: string;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
  anyOf?: Node[];
  oneOf?: Node[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
}

const DEFS = schema.$defs as unknown as Record<string, Node>;
const NAME = "#/$defs/name";
const UNITS = ["m", "mm", "rad", "deg", "kg", "kg m^2", "N/m", "N m/rad", "N s/m", "N m s/rad", "m/s^2", "V", "ohm"];

/** What can be written at a place of the file. */
export interface Offer {
  text: string;
  about: string;
}

/** A node and all that it stands for: what its references, and every alternative, say. */
function meanings(node: Node | undefined): Node[] {
  if (!node) return [];
  const named = node.$ref ? meanings(DEFS[node.$ref.split("/").at(-1) ?? ""]) : [];
  return [node, ...named, ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap(meanings)];
}

/** The nodes of a place: each name goes into a table by its key, into a list by its items. */
function at(path: string[]): Node[] {
  return path.reduce<Node[]>(
    (nodes, key) =>
      nodes.flatMap((node) => {
        const inside = node.items ? meanings(node.items) : [node];
        return inside.flatMap((one) => meanings(one.properties?.[key] ?? (typeof one.additionalProperties === "object" ? one.additionalProperties : undefined)));
      }),
    meanings(schema as unknown as Node),
  );
}

const described = (node: Node): string => meanings(node).find((one) => one.description)?.description ?? "";
const once = (offers: Offer[]): Offer[] => [...new Map(offers.map((offer) => [offer.text, offer])).values()];

/** The keys of the table at a path, without those that it has. */
export function keysAt(path: string[], there: readonly string[]): Offer[] {
  const tables = at(path).flatMap((node) => (node.items ? meanings(node.items) : [node]));
  const rows = tables.flatMap(({ properties = {} }) => Object.entries(properties));
  return once(rows.filter(([key]) => !there.includes(key)).map(([key, node]) => ({ text: key, about: described(node) })));
}

/** The values of the key at a path: what the schema lists, names of the file where it asks for one, units. */
export function valuesAt(path: string[], names: readonly string[]): Offer[] {
  const nodes = at(path).flatMap((node) => [node, ...meanings(node.items)]);
  const listed = nodes.flatMap((node) => [...(node.enum ?? []), ...(node.const === undefined ? [] : [node.const]), ...(node.type === "boolean" ? [true, false] : [])]);
  const asked = nodes.some((node) => node.$ref === NAME) ? names : [];
  const units = nodes.some((node) => node.$ref?.endsWith("unit")) ? UNITS : [];
  return once([...listed, ...asked, ...units].map((value) => ({ text: JSON.stringify(value), about: "" })));
}

/** The tables that can be begun: [points], [[bars]] and the like; of one with names of its own, with the dot after it. */
export function heads(): Offer[] {
  return Object.entries(schema.properties as unknown as Record<string, Node>).flatMap(([key, node]) => {
    const all = meanings(node),
      list = all.find((one) => one.type === "array" && meanings(one.items).some((item) => item.properties)),
      table = all.find((one) => one.type === "object" || one.properties);
    return list ? [{ text: `[[${key}]]`, about: described(list.items ?? node) }] : table ? [{ text: `[${key}]`, about: described(node) }] : [];
  });
}
