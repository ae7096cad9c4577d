"""Reference arithmetic of int8 networks, in numpy, which the kernels are compared with.

Every function takes and returns whole arrays.  Integers are exact (int64 inside).  Floats have the width that the
scheme's own source computes with.  Bad input raises `OperandError`.

| module            | contents                                                                                       |
|-------------------|------------------------------------------------------------------------------------------------|
| `arrays`          | dtype and range checks, the output range of a quantized tensor, exact integer products          |
| `rounding`        | nearest (away, even, up) and stochastic rounding of reals                                       |
| `fixed_point`     | multipliers as int32 times a power of two; the high multiplies and rounding shifts of the field |
| `requantize`      | int32 accumulators to 8 bits: every scheme behind one interface                                 |
| `affine`          | quantize and dequantize with scale and zero point; ranges to parameters; moving-average ranges  |
| `calibration`     | the range that loses the least information (Kullback-Leibler)                                   |
| `ristretto`       | dynamic fixed point, minifloat and power-of-two numbers                                         |
| `incremental`     | incremental network quantization: powers of two, the largest weights first                      |
| `matmul`          | matrix products with zero points, in both forms; packing; ruy's `Mul`                           |
| `convolution`     | conv2d, transposed, depthwise, fully connected                                                  |
| `addition`        | TFLite's, TVM's, QNNPACK's, XNNPACK's and ONNX Runtime's add                                    |
| `ranged_addition` | TensorFlow's 8+8→32 and nnlib's 8+8→8 add of tensors described by their ranges                  |
| `elementwise`     | mul, concat with rescale, relu, clip, pad                                                       |
| `pooling`         | max and average pooling with each framework's rounding                                          |
| `activation`      | tables of 256 entries (tanh, sigmoid, any function) and softmax                                 |
| `softmax`         | softmax in integers alone                                                                       |
"""
