"""From trained networks to the graphs that are shipped: fused, quantised where it pays, checked against torch.

python -m training.export --model fusion --run RUN --data DATA --out WEIGHTS [--exact]
"""

import argparse
import copy
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from counterpoint.models.builtin.onnx_graphs import LENGTH
from training.codes import Codes
from training.models import DROPOUT, MODELS, Fusion, TwoTower
from training.networks import LastStates
from training.train import unpacked

OPSET = 20
HELPERS = ("annotator.", "census.", "pointer.", "pointer_middle.")
"""The parts that only help to learn, and are not shipped."""
Array = NDArray[Any]


class Part(nn.Module):
    """One method of a model as a module, since only modules can be exported."""

    def __init__(self, model: nn.Module, method: str) -> None:
        super().__init__()
        self.model, self.method = model, method

    def forward(self, *inputs: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """What the method gives."""
        return cast(Tensor, getattr(self.model, self.method)(*inputs))


def fused(model: nn.Module) -> nn.Module:
    """A copy in which every normalisation is part of the convolution before it."""
    whole = copy.deepcopy(model).eval().float().cpu()
    for module in list(whole.modules()):
        if isinstance(module, nn.Sequential) and len(module) > 1 and isinstance(module[1], nn.BatchNorm2d):
            module[0] = fuse_conv_bn_eval(cast(nn.Conv2d, module[0]), module[1])
            module[1] = nn.Identity()
    return whole


def export(model: nn.Module, folder: Path, pictures: NDArray[np.uint8], *, int8: bool = True) -> dict[str, float]:
    """Write the graphs of a model; the numbers are the largest differences from torch, by graph."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = fused(model)
    rng = np.random.default_rng(0)
    worst: dict[str, float] = {}
    sees = cast("tuple[str, ...]", whole.sees)
    tokens = np.array([[3, 4, 5, 6, 7, 8], [9, 10, 11, 0, 0, 0], [12, 0, 0, 0, 0, 0]], np.int64)
    present = np.concatenate([np.ones((3, 1)), tokens > 0], axis=1).astype(np.float32)
    features: dict[str, Array] = {}
    if "picture" in sees:
        worst["picture"] = _export_picture(whole, folder / "picture.onnx", pictures, int8=int8)
        with torch.no_grad():
            seen = whole.picture(_normal(pictures[:3]))  # type: ignore[operator]
        features["picture"] = seen.numpy()
    if "text" in sees:
        inputs: dict[str, Array] = {"tokens": tokens, "present": present}
        reader = whole.reader
        if isinstance(reader, LastStates):
            _save(lstm_graph(reader), folder / "text.onnx")
        else:
            _trace(Part(whole, "text"), inputs, ("text",), folder / "text.onnx", moving=(1,))
        features["text"], worst["text"] = _checked(Part(whole, "text"), inputs, folder / "text.onnx")
    mask = (rng.random((3, cast(int, whole.units))) < 0.9).astype(np.float32) / np.float32(0.9)
    inputs = dict(features)
    if not isinstance(whole, TwoTower) and features.get("text", mask).ndim == 3:
        inputs["present"] = present
    inputs["mask"] = mask
    names = ("score",) if isinstance(whole, TwoTower) else ("answers", "fits")[: 2 if "present" in inputs else 1]
    _trace(Part(whole, "answer"), inputs, names, folder / "answer.onnx", moving=(1,))
    worst["answer"] = _checked(Part(whole, "answer"), inputs, folder / "answer.onnx")[1]
    return worst


def _export_picture(whole: nn.Module, path: Path, pictures: NDArray[np.uint8], *, int8: bool) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        plain, small = Path(scratch, "plain.onnx"), Path(scratch, "small.onnx")
        pixels = _normal(pictures[:1]).numpy()
        _trace(Part(whole, "picture"), {"pixels": pixels}, ("picture",), plain, half=False)
        if int8:
            quantize_static(
                plain,
                small,
                _Shown(pictures),
                quant_format=QuantFormat.QDQ,
                activation_type=QuantType.QInt8,
                weight_type=QuantType.QInt8,
                per_channel=True,
                op_types_to_quantize=["Conv", "Add", "Relu", "MatMul", "Gemm"],
                nodes_to_exclude=_last_additions(plain),
                calibrate_method=CalibrationMethod.MinMax,
            )
        graph = onnx.load(small if int8 else plain)
    takes_bytes(graph)
    _save(graph, path)
    with torch.no_grad():
        expected = whole.picture(_normal(pictures[:8])).numpy()  # type: ignore[operator]
    session = _session(path)
    got = np.concatenate([session.run(None, {"pixels": signed(picture[None])})[0] for picture in pictures[:8]])
    return float(np.abs(got - expected).max())


def _last_additions(path: Path) -> list[str]:
    """The additions that make an output, such as that of the places, which stay in full precision."""
    graph = onnx.load(path).graph
    outputs = {output.name for output in graph.output}
    return [node.name for node in graph.node if node.op_type == "Add" and outputs & set(node.output)]


def takes_bytes(model: onnx.ModelProto) -> None:
    """Let the graph take pictures as bytes less 128, height × width × 3, normalised inside.

    Signed, since convolutions in eight bits want their input and their output of one type.
    """
    graph = model.graph
    (pixels,) = graph.input
    inner = "pixels"
    for node in [node for node in graph.node if "pixels" in node.input and node.op_type == "QuantizeLinear"]:
        (reader,) = (other for other in graph.node if node.output[0] in other.input)
        inner = reader.output[0]
        graph.node.remove(node)
        graph.node.remove(reader)
    for node in graph.node:
        for place in [place for place, name in enumerate(node.input) if name == inner]:
            node.input[place] = "normal"
    graph.initializer.append(numpy_helper.from_array(np.array(1 / 64, np.float32), "pixel_scale"))
    graph.initializer.append(numpy_helper.from_array(np.array(0, np.int8), "pixel_zero"))
    graph.node.insert(0, helper.make_node("Transpose", ["pixels"], ["planes"], perm=[0, 3, 1, 2]))
    graph.node.insert(1, helper.make_node("DequantizeLinear", ["planes", "pixel_scale", "pixel_zero"], ["normal"]))
    pixels.CopyFrom(helper.make_tensor_value_info("pixels", TensorProto.INT8, ["pictures", 240, 320, 3]))


def signed(pictures: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Bytes less 128."""
    return (pictures ^ 128).view(np.int8)


def lstm_graph(reader: LastStates) -> onnx.ModelProto:
    """The LSTM as one node that knows the length of each text; gates are reordered from torch's i f g o to i o f g."""

    def gates(weight: Tensor) -> Array:
        i, f, g, o = weight.detach().numpy().reshape(4, -1, *weight.shape[1:])
        return np.concatenate([i, o, f, g])

    both = (reader.ahead, reader.back)
    weights = {
        "words": reader.words.weight.detach().numpy(),
        "W": np.stack([gates(one.weight_ih_l0) for one in both]),
        "R": np.stack([gates(one.weight_hh_l0) for one in both]),
        "B": np.stack([np.concatenate([gates(one.bias_ih_l0), gates(one.bias_hh_l0)]) for one in both]),
    }
    hidden = reader.ahead.hidden_size
    nodes = [
        helper.make_node("Gather", ["words", "tokens"], ["embedded"]),
        helper.make_node("Transpose", ["embedded"], ["by_place"], perm=[1, 0, 2]),
        helper.make_node("ReduceSum", ["present", "axis"], ["places"], keepdims=0),
        helper.make_node("Sub", ["places", "one"], ["counted"]),
        helper.make_node("Max", ["counted", "one"], ["at_least_one"]),
        helper.make_node("Cast", ["at_least_one"], ["lengths"], to=TensorProto.INT32),
        helper.make_node(
            "LSTM",
            ["by_place", "W", "R", "B", "lengths"],
            ["", "last"],
            hidden_size=hidden,
            direction="bidirectional",
        ),
        helper.make_node("Transpose", ["last"], ["by_text"], perm=[1, 0, 2]),
        helper.make_node("Reshape", ["by_text", "shape"], ["text"]),
    ]
    constants = {
        "axis": np.array([1], np.int64),
        "one": np.float32(1),
        "shape": np.array([0, 2 * hidden], np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "text",
        [
            helper.make_tensor_value_info("tokens", TensorProto.INT64, ["texts", "words"]),
            helper.make_tensor_value_info("present", TensorProto.FLOAT, ["texts", "places"]),
        ],
        [helper.make_tensor_value_info("text", TensorProto.FLOAT, ["texts", 2 * hidden])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights | constants).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def halved(model: onnx.ModelProto) -> None:
    """Keep large weights in sixteen bits; a cast brings them back when a session is made."""
    graph = model.graph
    for weight in list(graph.initializer):
        value = numpy_helper.to_array(weight)
        if weight.data_type != TensorProto.FLOAT or value.size < 256:
            continue
        assert np.abs(value).max() < 60000, f"{weight.name} does not fit sixteen bits"
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(value.astype(np.float16), name + "_half"))
        graph.node.insert(0, helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))


def _save(model: onnx.ModelProto, path: Path) -> None:
    halved(model)
    del model.graph.value_info[:]
    for node in model.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]
    del model.metadata_props[:]
    used = {name for node in model.graph.node for name in node.input}
    for weight in [weight for weight in model.graph.initializer if weight.name not in used]:
        model.graph.initializer.remove(weight)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _trace(
    module: nn.Module,
    inputs: Mapping[str, Array],
    outputs: Sequence[str],
    path: Path,
    *,
    moving: tuple[int, ...] = (),
    half: bool = True,
) -> None:
    """Export by torch; the first axis of every input may grow, and those of `moving` for rows of words."""
    texts, words = torch.export.Dim.DYNAMIC, torch.export.Dim.DYNAMIC
    rows = {"tokens": {0: texts, 1: words}, "present": {0: texts, 1: words}}
    shapes = tuple(
        rows.get(name, {0: texts, 1: words} if name == "text" and value.ndim == 3 else {0: texts})
        for name, value in inputs.items()
    )
    with torch.no_grad():
        program = torch.onnx.export(
            module.eval(),
            tuple(torch.from_numpy(np.repeat(value, 2, axis=0)) for value in inputs.values()),
            input_names=list(inputs),
            output_names=list(outputs),
            opset_version=OPSET,
            dynamo=True,
            dynamic_shapes=(shapes,),
            optimize=True,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    if half:
        _save(model, path)
    else:
        onnx.save(model, path)


def _checked(module: nn.Module, inputs: Mapping[str, Array], path: Path) -> tuple[Array, float]:
    with torch.no_grad():
        expected = module(*(torch.from_numpy(value) for value in inputs.values()))
    expected = expected if isinstance(expected, tuple) else (expected,)
    got = _session(path).run(None, dict(inputs))
    worst = max(float(np.abs(a - b.numpy()).max()) for a, b in zip(got, expected, strict=True))
    return expected[0].numpy(), worst


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _normal(pictures: NDArray[np.uint8]) -> Tensor:
    planes = torch.from_numpy(np.ascontiguousarray(pictures)).permute(0, 3, 1, 2).float()
    return (planes - 128.0) / 64.0


class _Shown(CalibrationDataReader):  # type: ignore[misc]
    """Pictures one by one, from which the ranges of activations are taken."""

    def __init__(self, pictures: NDArray[np.uint8]) -> None:
        self._rest: Iterator[NDArray[np.uint8]] = iter(pictures)

    def get_next(self) -> dict[str, Array] | None:
        """The next picture, while there is one."""
        one = next(self._rest, None)
        return None if one is None else {"pixels": _normal(one[None]).numpy()}


def size(model: nn.Module) -> int:
    """How many numbers were learnt, without the parts that only help to learn."""
    own = [part for name, part in model.named_parameters() if not name.startswith(HELPERS)]
    return sum(part.numel() for part in own)


def card(name: str, model: nn.Module, codes: Codes, report: Mapping[str, Any], *, int8: bool) -> dict[str, Any]:
    """What the adapter must know of a model, and what a reader should."""
    return {
        "name": name,
        "sees": list(cast("tuple[str, ...]", model.sees)),
        "scores": "similarity" if isinstance(model, TwoTower) else "probability" if isinstance(model, Fusion) else "",
        "length": LENGTH,
        "units": cast(int, model.units),
        "kept": round(256 * (1 - DROPOUT)),
        "int8": int8 and "picture" in cast("tuple[str, ...]", model.sees),
        "parameters": size(model),
        "vocabulary": list(codes.words),
        "answers": [] if isinstance(model, TwoTower) else list(codes.answers),
        "training": dict(report),
    }


def main(arguments: Iterable[str] | None = None) -> None:
    """Export one trained model with its card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=sorted(MODELS), required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--exact", action="store_true", help="keep the picture encoder in 32 bits")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    model, report = unpacked(chosen.run / f"{chosen.model}.pt")
    pictures = np.array(np.load(chosen.data / "train-pictures.npy", mmap_mode="r")[:192])
    folder = chosen.out / chosen.model
    worst = export(model, folder, pictures, int8=not chosen.exact)
    own = chosen.run / "codes.json"
    codes = Codes.load(own if own.exists() else chosen.data / "codes.json")
    written = card(chosen.model, model, codes, report, int8=not chosen.exact)
    (folder / "card.json").write_text(json.dumps(written, indent=1, ensure_ascii=False), "utf-8")
    size = sum(path.stat().st_size for path in folder.iterdir())
    differ = ", ".join(f"{name} {value:.2g}" for name, value in worst.items())
    print(f"{chosen.model}: {size / 1e6:.2f} MB, largest differences from torch: {differ}", flush=True)


if __name__ == "__main__":
    main()
