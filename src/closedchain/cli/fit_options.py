"""What can be typed after `calibrate` and `identify`. Nothing heavy is imported."""

from __future__ import annotations

from closedchain.cli.options import Parser, json, mode, robot, whole_number

VALUES = {
    "--vary", "--hold", "--offset", "--gain", "--start", "--sd", "--probe-log", "--prior", "--robust", "--lever",
    "--suggest", "--candidates", "--by", "--drives", "--estimator", "--cutoff", "--folds", "--excite", "--q-limit",
    "--rate", "--acceleration", "--period", "--harmonics", "--evaluations",
}  # fmt: skip
REPEATED = "; may be repeated, or several with commas"


def calibrate(parser: Parser) -> None:
    """Options of `calibrate`."""
    robot(parser)
    text = "readings (.csv: a column for each quantity, q1, z_mm, P1.x, |A B|), or Klipper's printer.cfg"
    parser.add_argument("data", metavar="FILE", help=text)
    _names(parser, "--vary", "NAME,…", "parameters to be found; all that the geometry depends on unless given")
    _names(parser, "--hold", "NAME,…", "parameters that stay as they are")
    _names(parser, "--offset", "COLUMN,…", "columns whose sensors have an unknown offset")
    _names(parser, "--gain", "COLUMN,…", "columns whose sensors have an unknown gain")
    _names(parser, "--start", "NAME=VALUE", "where the search begins: --start l1.offset=605mm; may be repeated")
    _names(parser, "--sd", "COLUMN=VALUE", "a reading's standard deviation, 0 if exact: --sd z=0.01mm; may be repeated")
    text = "a log with results of Klipper's PROBE_ACCURACY: the standard deviation of z"
    parser.add_argument("--probe-log", metavar="FILE", help=text)
    _names(parser, "--prior", "NAME=VALUE,SD", "what is known before: --prior l=250mm,0.1mm; may be repeated")
    parser.add_argument("--robust", choices=("huber", "tukey"), help="a loss that outliers do not pull")
    parser.add_argument("--lever", metavar="LENGTH", help="at which angles count beside lengths (the robot's size)")
    parser.add_argument("--assembly", metavar="MODE", type=mode, help="of the poses, where the readings leave it open")
    parser.add_argument("--suggest", type=whole_number, metavar="N", help="N further measurements that would tell most")
    text = "from which --suggest chooses: rows like the data's, cells to be measured 0; drawn at random unless given"
    parser.add_argument("--candidates", metavar="FILE.csv", help=text)
    parser.add_argument("--seed", type=whole_number, metavar="S", default=0, help="of candidates that are drawn (0)")
    parser.add_argument("--out", metavar="ROBOT.toml", help="write the calibrated robot as a mechanism file")
    parser.add_argument("--plot", metavar="FILE.png", help="draw residuals and weak directions: .png, .svg or .pdf")
    json(parser)


def identify(parser: Parser) -> None:
    """Options of `identify`."""
    robot(parser)
    text = "readings (.csv): t, the drives, tau_ and their names, and rates q1_dot, q1_ddot where known"
    parser.add_argument("data", metavar="FILE.csv", nargs="?", help=text + "; without it the base parameters are told")
    text = "dynamic parameters: of every body, or the description's own in which efforts are linear (bodies)"
    parser.add_argument("--by", choices=("bodies", "parameters"), help=text)
    text = "what a drive has of its own: rotor, viscous, coulomb, offset (rotor,viscous,coulomb); none for nothing"
    parser.add_argument("--drives", metavar="KIND,…", default="rotor,viscous,coulomb", help=text)
    text = "least squares, weighed by drive, or with the commanded motion q1_ref … as instruments (wls)"
    parser.add_argument("--estimator", choices=("ols", "wls", "iv"), default="wls", help=text)
    text = "of the filter that makes rates where none are read (a tenth of the samples' Nyquist frequency)"
    parser.add_argument("--cutoff", metavar="HERTZ", help=text)
    parser.add_argument(
        "--folds", type=whole_number, metavar="N", default=5, help="parts that are predicted in turn (5)"
    )
    parser.add_argument("--assembly", metavar="MODE", type=mode, help="assembly mode of the motion")
    text = "write a motion that shows every base parameter, within limits, instead: t, drives and their rates"
    parser.add_argument("--excite", metavar="FILE.csv", help=text)
    _names(parser, "--q-limit", "DRIVE=LOW:HIGH", "where a drive may move, with --excite; may be repeated")
    parser.add_argument("--rate", metavar="VALUE", help="the largest rate of a drive, with --excite")
    parser.add_argument("--acceleration", metavar="VALUE", help="the largest acceleration of a drive, with --excite")
    parser.add_argument("--period", metavar="SECONDS", default="10", help="of the motion, with --excite (10)")
    parser.add_argument("--harmonics", type=whole_number, metavar="N", default=5, help="of the motion (5)")
    parser.add_argument("--interval", metavar="SECONDS", default="0.01", help="between its rows (0.01)")
    parser.add_argument("--evaluations", type=whole_number, metavar="N", default=1500, help="motions tried (1500)")
    parser.add_argument("--seed", type=whole_number, metavar="S", default=0, help="of the search (0)")
    parser.add_argument("--plot", metavar="FILE.png", help="draw efforts and what is left of them: .png, .svg or .pdf")
    json(parser)


def _names(parser: Parser, option: str, word: str, text: str) -> None:
    several = REPEATED if word.endswith(",…") else ""
    parser.add_argument(option, metavar=word, action="append", default=[], help=text + several)
