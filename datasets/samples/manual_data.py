"""The tables and lists of the manual: rows written as "a; b; c", the first the header."""

TABLES: dict[str, tuple[str, list[float], list[str]]] = {
    "sensors": (
        "Sensors and their accuracy",
        [82, 96, 72, 80],
        [
            "Quantity; Range; Resolution; Accuracy",
            "Temperature; -40 to +60 °C; 0.1 °C; ±0.2 °C",
            "Humidity; 0 to 100 %; 1 %; ±2 %",
            "Pressure; 300 to 1,100 hPa; 0.1 hPa; ±0.5 hPa",
            "Wind speed; 0 to 60 m/s; 0.1 m/s; ±3 %",
            "Wind direction; 0 to 359°; 1°; ±3°",
            "Rain; 0 to 400 mm/h; 0.2 mm; ±3 %",
            "Sunshine; 0 to 1,500 W/m²; 1 W/m²; ±5 %",
        ],
    ),
    "parts": (
        "Parts delivered",
        [50, 190, 90],
        [
            "Number; Part; Order number",
            "1; Base unit with display; H3-100",
            "1; Wind sensor with 10 m of cable; H3-102",
            "1; Rain gauge with 15 m of cable; H3-104",
            "1; Radiation shield with sensor module; H3-106",
            "1; Solar panel 5 W with bracket; H3-110",
            "1; Battery LF-14; H3-114",
            "1; Cross arm with two clamps; H3-120",
            "1; Hexagon key 5 mm; H3-131",
            "4; Cable glands, spare; H3-133",
        ],
    ),
    "tools": (
        "Tools needed",
        [165, 165],
        [
            "Tool; Used for",
            "Spanner 19 mm; Bolts of the foot plate",
            "Torque wrench 5 to 25 Nm; Clamps of the mast",
            "Hexagon key 5 mm (delivered); Wind sensor",
            "Spirit level; Mast and rain gauge",
            "Screwdriver 2.5 mm; Terminals",
            "Wire stripper; Cables",
            "Compass; Wind sensor",
        ],
    ),
    "wiring": (
        "Connection of the wires",
        [60, 110, 80, 80],
        [
            "Terminal; Signal; Colour; Cable",
            "1; Battery +; red; battery",
            "2; Battery -; black; battery",
            "3; Wind, supply; brown; wind sensor",
            "4; Wind, data A; green; wind sensor",
            "5; Wind, data B; yellow; wind sensor",
            "6; Wind, ground; white; wind sensor",
            "7; Rain, pulse; blue; rain gauge",
            "8; Rain, ground; grey; rain gauge",
            "9; Module, data; pink; sensor module",
            "10; Module, supply; violet; sensor module",
            "11; Solar panel +; red and white; solar panel",
            "12; Shields; bare; all",
        ],
    ),
    "keys": (
        "Keys",
        [90, 240],
        [
            "Key; Function",
            "MENU; Opens the menu, goes back one step",
            "ENTER; Confirms, or starts a record by hand when held for two seconds",
            "Arrows; Change the page or the value",
            "LIGHT; Lights the display for five minutes",
        ],
    ),
    "memory": (
        "How long the memory lasts",
        [110, 110, 110],
        [
            "Logging interval; Records a day; Memory lasts",
            "1 minute; 1,440; 40 days",
            "5 minutes; 288; 200 days",
            "10 minutes; 144; 400 days",
            "30 minutes; 48; 1,200 days",
            "60 minutes; 24; 2,400 days",
        ],
    ),
    "schedule": (
        "Maintenance schedule",
        [170, 160],
        [
            "Work; How often",
            "Look at the rain gauge; every two weeks in autumn, else monthly",
            "Clean the radiation shield; every six months",
            "Clean the solar panel; every six months",
            "Check the mast and its screws; every year, and after a storm",
            "Check the surge arrester; every year, and after a strike",
            "Check the rain gauge with water; every year",
            "Replace the sensor module; every two years",
            "Replace the battery; every four years",
            "Replace the seal of the lid; every five years",
        ],
    ),
    "accessories": (
        "Accessories",
        [150, 90, 90],
        [
            "Accessory; Order number; Terminals",
            "Heating of the rain gauge; H3-204; 13 and 14",
            "Radio modem; H3-210; socket X4",
            "Ballast frame; H3-218; none",
            "Soil probe; H3-226; 15 to 18",
            "Snow depth sensor; H3-230; 19 and 20",
            "Extension cable 25 m; H3-241; none",
        ],
    ),
    "technical": (
        "Technical data of the Heron 300",
        [130, 200],
        [
            "Item; Value",
            "Supply; battery 3.2 V, 14 Ah, solar panel 5 W",
            "Mean consumption; 18 mA without radio, 46 mA with radio",
            "Life without sun; 32 days without radio, 12 days with radio",
            "Operating temperature; -40 to +60 °C",
            "Storage temperature; -40 to +70 °C",
            "Protection of the base unit; IP66",
            "Size of the base unit; 220 × 160 × 90 mm",
            "Weight; base unit 1.4 kg, wind sensor 0.6 kg, rain gauge 1.1 kg",
            "Wind load; up to 75 m/s",
            "Memory; 57,600 records",
            "Network; cable 100 Mbit/s, radio 2.4 GHz",
            "Serial port; RS-232, 19,200 baud",
            "Relay; 2 A at 30 V",
        ],
    ),
    "service": (
        "Service addresses",
        [100, 230],
        [
            "Region; Address",
            "Europe; Heron Instruments, Beacon Street 4, Lindmoor LM5 8TT",
            "America; Heron Instruments Inc., 77 Harbor Road, Eastport",
            "Asia and Pacific; Heron Pacific Ltd, 12 Ridge Lane, Porirua",
        ],
    ),
}

# name; standard value; range; what it does
SETTINGS = [
    "LOGGING INTERVAL; 10 min; 1 to 60 min; The time that one record covers. A short interval "
    "fills "
    "the memory faster; see the table in the section on records.",
    "WIND OFFSET; 0°; -180 to +180°; Is added to the measured direction. Use it when the red "
    "mark of "
    "the sensor does not point north.",
    "WIND HEIGHT; 10 m; 1 to 50 m; The height of the wind sensor above the ground. The station "
    "only "
    "stores it with the records; it does not correct the speed.",
    "WIND UNIT; m/s; m/s, km/h, knots, mph; The unit on the display. Records are always in m/s.",
    "GUST TIME; 3 s; 1 to 10 s; The time over which a gust is averaged.",
    "RAIN FACTOR; 1.000; 0.800 to 1.200; Is multiplied with the measured rain. Find it with the "
    "test "
    "in the section on calibration.",
    "RAIN DAY; 07:00; 00:00 to 23:00; The hour at which the sum of the day starts again.",
    "HEATER; AUTO; OFF, AUTO, ON; The heating of the rain gauge, an accessory. AUTO switches it on "
    "below 3 °C.",
    "TEMPERATURE UNIT; °C; °C, °F; The unit on the display. Records are always in °C.",
    "TEMPERATURE OFFSET; 0.0 °C; -2.0 to +2.0 °C; Is added to the measured temperature.",
    "PRESSURE OFFSET; 0.0 hPa; -10.0 to +10.0 hPa; Is added to the measured pressure before it is "
    "reduced to sea level.",
    "PRESSURE MODE; SEA LEVEL; STATION, SEA LEVEL; Whether the display shows the pressure at the "
    "station or reduced to sea level. Records hold both.",
    "SUNSHINE LIMIT; 120 W/m²; 50 to 300 W/m²; The sun counts as shining above this value.",
    "ALARM HYSTERESIS; 5 %; 1 to 20 %; How far a value must come back before an alarm ends.",
    "RELAY MODE; CLOSE; CLOSE, OPEN, PULSE; What the relay does when an alarm goes off. A pulse "
    "lasts "
    "two seconds.",
    "DISPLAY TIME; 30 s; 10 to 300 s; How long the display stays lit after a key has been pressed.",
    "CONTRAST; 6; 1 to 10; The contrast of the display. At low temperatures a higher value helps.",
    "LANGUAGE; ENGLISH; 9 languages; The language of the display.",
    "TIME ZONE; UTC; -12 to +14 h; Is used for the display only. Records are in UTC.",
    "SEND INTERVAL; 30 min; 10 min to 24 h; How often records are sent to the network.",
    "SERVER; none; an address; Where records are sent. Leave it empty to send nothing.",
    "RADIO POWER; MEDIUM; LOW, MEDIUM, HIGH; HIGH doubles the range and needs a third more "
    "current.",
    "ACCESS CODE; 0300; four digits; Protects the settings. If it is lost, reset the station.",
    "SERVICE REMINDER; 12 months; OFF, 1 to 24 months; Reminds you of the maintenance.",
]

# code; meaning; what to do
CODES = [
    "E01; The wind sensor does not answer; Check terminals 3 to 6. Measure 5 V between 3 and 6.",
    "E02; A path of the wind sensor is blocked; Remove ice, leaves or nests from the transducers.",
    "E03; The wind sensor reports a wrong number; Update the firmware of the base unit.",
    "E05; The sensor module does not answer; Check terminals 9 and 10, then replace the module.",
    "E06; The humidity is out of range; Dry the module indoors for a day.",
    "E07; The temperature changes too fast; Look for a loose plug at the module.",
    "E09; The pressure sensor is faulty; Send the base unit in.",
    "E11; The rain gauge sends too many pulses; The cable is damaged or the post shakes in the "
    "wind.",
    "E12; No rain for 45 days; Check the rain gauge with water. Confirm the code with ENTER.",
    "E14; The heater of the rain gauge draws no current; Replace the fuse F2, 2 A.",
    "E17; The sunshine sensor is dark at noon; Clean the dome of the sensor and check its plug.",
    "E20; The battery is low; Clean the solar panel; switch the radio off.",
    "E21; The battery does not charge; Check the plug of the solar panel and fuse F1, 1 A.",
    "E22; The battery is too cold to be charged; Nothing: charging starts again above -10 °C.",
    "E23; The battery is worn out; Replace the battery.",
    "E25; The memory is nearly full; Export the records, or ignore the code.",
    "E26; A record could not be stored; Switch the station off and on again.",
    "E28; The clock has lost the time; Set the time. Replace the cell on the board after ten "
    "years.",
    "E31; The settings are damaged; Reset the station to factory settings.",
    "E33; The temperature inside the base unit is too high; Put the base unit in the shade.",
    "E35; Water in the base unit; Switch off, dry it and replace the seal of the lid.",
    "E40; No network; Check the cable, or the password of the wireless network.",
    "E41; The network is too weak; Set RADIO POWER to HIGH or use a cable.",
    "E43; The server does not answer; Check the address. Records are kept and sent later.",
    "E44; The server refuses the records; Log in at the server and register the station again.",
    "E47; The address is used twice; Give the station a fixed address.",
    "E49; The update has failed; Repeat it. The old firmware stays in use until then.",
]

# command; meaning; example of an answer
COMMANDS = [
    "ID; Asks for type and number of the station; HERON300 SN 0412873",
    "VER; Asks for the firmware; 4.2.1",
    "NOW; Asks for the present readings; 18.4;71;1013.2;3.6;225;0.0",
    "REC n; Asks for record number n, counted from the newest; 202407051210;18.2;72;1013.1",
    "CNT; Asks for the number of stored records; 48213",
    "CLK; Asks for the time; 2024-07-05T12:14:09Z",
    "CLK=t; Sets the time; OK",
    "GET s; Asks for a setting; 10",
    "SET s=v; Changes a setting; OK",
    "ALM; Asks for the alarms that are on; 2,5",
    "BAT; Asks for the voltage of the battery; 3.31",
    "TST; Starts the self-test; OK 7 OF 7",
    "RST; Restarts the station; BYE",
]
SAMPLE = """time;temp;hum;press;wind;gust;dir;rain
202407051150;18.1;73;1013.0;3.2;6.8;230;0.0
202407051200;18.2;72;1013.1;3.6;7.1;225;0.0
202407051210;18.2;72;1013.1;;;;0.2"""

# force; description; lowest speed in m/s
BEAUFORT = [
    ("Calm", 0.0),
    ("Light air", 0.3),
    ("Light breeze", 1.6),
    ("Gentle breeze", 3.4),
    ("Moderate breeze", 5.5),
    ("Fresh breeze", 8.0),
    ("Strong breeze", 10.8),
    ("Near gale", 13.9),
    ("Gale", 17.2),
    ("Strong gale", 20.8),
    ("Storm", 24.5),
    ("Violent storm", 28.5),
    ("Hurricane", 32.7),
]
