from dbg import *
F="/work/tmp/facts-answers/cedar.json"
s=conv(F,"cedar09"); facts(s,"Emeka"); why(s,"Which university does Emeka attend now?","2024-06-01")
s=conv(F,"cedar07"); facts(s,"Anneke"); why(s,"Who does Anneke work for now?","2023-04-01"); why(s,"Where does Anneke live?","2023-04-01")
s=conv(F,"cedar01"); facts(s,"Lachie"); why(s,"Who was Lachie working for in early September 2021?","2023-06-01")
