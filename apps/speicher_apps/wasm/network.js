// A trained network: dense layers of float32, read from a safetensors file and what its card says of its shape.
//
// `description` is what `speicher_apps.wasm.networks.description` makes of a card: activation, seats, size (of an
// observation), figures, and for each column the places of its numbers. Layers are named STACK.NUMBER.weight and .bias,
// a row for each output. The stacks are "columns" (once for each column), "shared", "policy" and "value".

const HEADER = 8; // bytes that hold the length of the header

/** The arrays of a safetensors file by name. */
export function readTensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(HEADER, HEADER + length)));
  const data = bytes.slice(HEADER + length).buffer;
  const arrays = Object.entries(header).filter(([name]) => name !== "__metadata__");
  return new Map(arrays.map(([name, { data_offsets: [start, stop] }]) => [name, new Float32Array(data, start, (stop - start) / 4)]));
}

export class Network {
  constructor(description, bytes) {
    this.description = description;
    const tensors = readTensors(bytes);
    const stack = (name) => {
      const layers = [];
      for (let place = 0; tensors.has(`${name}.${place}.weight`); place += 1) {
        layers.push(layerOf(tensors.get(`${name}.${place}.weight`), tensors.get(`${name}.${place}.bias`)));
      }
      return layers;
    };
    this.columns = stack("columns");
    this.shared = stack("shared");
    this.policy = stack("policy");
    this.value = stack("value");
    this.activate = { relu: (sum) => Math.max(sum, 0), tanh: Math.tanh }[description.activation];
  }

  /** Logits of all actions and the outputs of the value, the own payoff first, for what a seat sees. */
  evaluate(row) {
    const { columnPlaces, size, figures } = this.description;
    const read = figures ? row : row.subarray(0, size);
    let numbers = read;
    if (this.columns.length) {
      const outputs = columnPlaces.map((places) => {
        const own = Float32Array.from(places, (place) => read[place]);
        return this.run(this.columns, joined([own, read]), true);
      });
      numbers = joined([read, ...outputs]);
    }
    if (this.shared.length) numbers = this.run(this.shared, numbers, true);
    return { logits: this.run(this.policy, numbers, false), values: this.run(this.value, numbers, false) };
  }

  /** A stack of layers, with an activation after each; after the last one only if `activated`. */
  run(layers, numbers, activated) {
    return layers.reduce((inputs, layer, place) => {
      const sums = apply(layer, inputs);
      return activated || place < layers.length - 1 ? sums.map(this.activate) : sums;
    }, numbers);
  }
}

/** A layer with a row of its matrix for each input: most inputs are 0, and their rows are left out. */
function layerOf(weight, bias) {
  const outputs = bias.length;
  const inputs = weight.length / outputs;
  const matrix = new Float32Array(weight.length);
  for (let output = 0; output < outputs; output += 1) {
    for (let input = 0; input < inputs; input += 1) matrix[input * outputs + output] = weight[output * inputs + input];
  }
  return { matrix, bias };
}

function apply({ matrix, bias }, numbers) {
  const sums = Float32Array.from(bias);
  const outputs = bias.length;
  for (let input = 0; input < numbers.length; input += 1) {
    const factor = numbers[input];
    if (factor === 0) continue;
    const start = input * outputs;
    for (let output = 0; output < outputs; output += 1) sums[output] += factor * matrix[start + output];
  }
  return sums;
}

function joined(parts) {
  const all = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let start = 0;
  for (const part of parts) {
    all.set(part, start);
    start += part.length;
  }
  return all;
}
