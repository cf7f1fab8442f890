"""Messages of one value each, arrays, and the header of others."""

from closedchain.lab.messages import message
from closedchain.lab.moments import Stamp

Bool = message("Bool", data=False)
String = message("String", data="")
Float32, Float64 = message("Float32", data=0.0), message("Float64", data=0.0)
Int8, Int16, Int32, Int64 = (message(f"Int{bits}", data=0) for bits in (8, 16, 32, 64))
UInt8, UInt16, UInt32, UInt64 = (message(f"UInt{bits}", data=0) for bits in (8, 16, 32, 64))
Empty = message("Empty")
Header = message("Header", stamp=Stamp, frame_id="")
ColorRGBA = message("ColorRGBA", r=0.0, g=0.0, b=0.0, a=0.0)
MultiArrayDimension = message("MultiArrayDimension", label="", size=0, stride=0)
MultiArrayLayout = message("MultiArrayLayout", dim=[], data_offset=0)
Float32MultiArray = message("Float32MultiArray", layout=MultiArrayLayout, data=[])
Float64MultiArray = message("Float64MultiArray", layout=MultiArrayLayout, data=[])
Int32MultiArray = message("Int32MultiArray", layout=MultiArrayLayout, data=[])
Int64MultiArray = message("Int64MultiArray", layout=MultiArrayLayout, data=[])

__all__ = [
    "Bool", "ColorRGBA", "Empty", "Float32", "Float32MultiArray", "Float64", "Float64MultiArray", "Header", "Int16",
    "Int32", "Int32MultiArray", "Int64", "Int64MultiArray", "Int8", "MultiArrayDimension", "MultiArrayLayout", "String",
    "UInt16", "UInt32", "UInt64", "UInt8",
]  # fmt: skip
